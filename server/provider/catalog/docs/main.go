// Command docs writes the index of the providers' pages, docs/providers.md, from the catalogue and the folders: what
// stands there was asked of the code that runs.
//
//	go generate ./server/provider/catalog
package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/waybillhq/waybill/server/provider/catalog"
)

// Seen from the catalogue's folder, in which go generate runs it.
const (
	output  = "../../../docs/providers.md"
	folders = ".."
)

func main() {
	if err := write(); err != nil {
		fmt.Fprintln(os.Stderr, "docs:", err)
		os.Exit(1)
	}
}

func write() error {
	text, err := page(catalog.Kinds(), os.DirFS(folders))
	if err != nil {
		return err
	}
	file, err := os.Create(output)
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	return errors.Join(err, file.Close())
}
