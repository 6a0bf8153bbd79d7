// Package migrations holds the versioned SQL that brings a database to Ent's schema, one folder a database. The files
// are made by `.ci/with-servers go run ./ent/migrations/diff NAME` and never changed once released.
package migrations

import (
	"embed"
	"fmt"
	"io/fs"
)

//go:embed sqlite/*.sql postgres/*.sql
var files embed.FS

// folders are the migrations' folders, by the database's name in Ent.
var folders = map[string]string{"sqlite3": "sqlite", "postgres": "postgres"}

// For are the migrations of a database, by its name in Ent: sqlite3 or postgres.
func For(dialect string) (fs.FS, error) {
	folder, known := folders[dialect]
	if !known {
		return nil, fmt.Errorf("migrations: there are none for %q", dialect)
	}
	return fs.Sub(files, folder)
}
