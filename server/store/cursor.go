package store

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Cursor is a place in a list: the item after which the next page begins. The zero Cursor is the beginning.
type Cursor struct {
	At time.Time
	ID string
}

// IsZero says that the cursor is the beginning; of a page's Next, that there is no next page.
func (c Cursor) IsZero() bool { return c.ID == "" }

// String is the cursor as text. Empty: the zero Cursor.
func (c Cursor) String() string {
	if c.IsZero() {
		return ""
	}
	return strconv.FormatInt(micros(c.At), 36) + "." + c.ID
}

// ParseCursor reads what String wrote.
func ParseCursor(text string) (Cursor, error) {
	if text == "" {
		return Cursor{}, nil
	}
	at, id, found := strings.Cut(text, ".")
	us, err := strconv.ParseInt(at, 36, 64)
	if !found || err != nil || id == "" || plain(id) != id {
		return Cursor{}, fmt.Errorf("cursor: %w", ErrInvalid)
	}
	return Cursor{At: moment(us), ID: id}, nil
}
