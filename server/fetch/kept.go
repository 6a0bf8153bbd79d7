package fetch

import (
	"sync"
	"time"

	"github.com/waybillhq/waybill/server/provider"
)

// maxKept bounds the replies that are kept. A provider has one certificate at a time, or two.
const maxKept = 128

// kept are replies that serve again.
type kept struct {
	mu      sync.Mutex
	replies map[string]entry
}

type entry struct {
	reply provider.Reply
	until time.Time
}

func (k *kept) get(question string, now time.Time) (provider.Reply, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	found, ok := k.replies[question]
	if !ok || !now.Before(found.until) {
		return provider.Reply{}, false
	}
	return found.reply, true
}

// put keeps a reply. Where there is no room, the one that would end first makes it.
func (k *kept) put(question string, reply provider.Reply, until time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, known := k.replies[question]; !known && len(k.replies) >= maxKept {
		delete(k.replies, k.first())
	}
	k.replies[question] = entry{reply: reply, until: until}
}

func (k *kept) first() string {
	var name string
	var until time.Time
	for question, found := range k.replies {
		if until.IsZero() || found.until.Before(until) {
			name, until = question, found.until
		}
	}
	return name
}
