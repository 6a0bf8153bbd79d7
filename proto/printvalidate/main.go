// Command printvalidate prints buf/validate/validate.proto from the descriptor compiled into the protovalidate
// module, so that buf finds it without a registry of schemas.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"buf.build/gen/go/bufbuild/protovalidate/protocolbuffers/go/buf/validate"
	"github.com/jhump/protoreflect/v2/protoprint"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: printvalidate DIR")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "printvalidate:", err)
		os.Exit(1)
	}
}

func write(dir string) error {
	path := filepath.Join(dir, "buf", "validate", "validate.proto")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	text, err := (&protoprint.Printer{Compact: true}).PrintProtoToString(validate.File_buf_validate_validate_proto)
	if err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}
