package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
)

// maxFixture is the longest file that is read. No provider sends a body as long.
const maxFixture = 17 << 20

// readFixtures puts the texts of the files that fixtures name in their places: who checks and uses them reads no files.
// A path that is not absolute begins at the configuration's folder.
func readFixtures(cfg *configv1.Config, folder string, layout *layout) []Problem {
	var problems []Problem
	for i, account := range cfg.GetAccounts() {
		for j, provider := range account.GetProviders() {
			for k, fixture := range provider.GetCustom().GetFixtures() {
				if err := readFixture(fixture, folder); err != nil {
					path := fmt.Sprintf("accounts[%d].providers[%d].custom.fixtures[%d]", i, j, k)
					problems = append(problems, layout.at(path, err.Error()))
				}
			}
		}
	}
	return problems
}

func readFixture(fixture *configv1.Fixture, folder string) error {
	if fixture.GetFile() == "" || fixture.GetText() != "" {
		return nil
	}
	if fixture.GetName() == "" {
		fixture.Name = strings.TrimSuffix(filepath.Base(fixture.GetFile()), ".http")
	}
	path := fixture.GetFile()
	if !filepath.IsAbs(path) {
		path = filepath.Join(folder, path)
	}
	text, err := readText(path)
	if err != nil {
		return err
	}
	fixture.Text = text
	return nil
}

// readText reads a file. Its errors don't tell the path: it is the value of a field.
func readText(path string) (string, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", errors.New("there is no such file; a path begins at the folder of the configuration file")
	}
	if err != nil {
		return "", errors.New("the file can't be opened")
	}
	defer func() { _ = file.Close() }()

	text, err := io.ReadAll(io.LimitReader(file, maxFixture+1))
	switch {
	case err != nil:
		return "", errors.New("the file can't be read")
	case len(text) == 0:
		return "", errors.New("the file is empty")
	case len(text) > maxFixture:
		return "", errors.New("the file is too large for a webhook")
	case !utf8.Valid(text):
		return "", errors.New("the file is not UTF-8 text")
	}
	return string(text), nil
}
