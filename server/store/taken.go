package store

import "sync"

// maxTaken is how many identities of a generation are remembered: some megabytes at most.
const maxTaken = 4096

// identityKey is what an event is recorded under.
type identityKey struct{ account, provider, identity string }

func identityOf(en *entry) identityKey {
	return identityKey{en.event.Account, en.event.Provider, en.event.Identity}
}

// taken remembers which identities were recorded lately. Events are never deleted, so a copy of one of them needs no
// try at being the first: in a storm of copies that saves sending and parsing their bytes.
type taken struct {
	mu       sync.Mutex
	now, old map[identityKey]struct{}
}

func newTaken() *taken {
	return &taken{now: make(map[identityKey]struct{}), old: make(map[identityKey]struct{})}
}

func (t *taken) has(key identityKey) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, known := t.now[key]; known {
		return true
	}
	_, known := t.old[key]
	if known {
		// Whatever is asked for stays longer.
		t.put(key)
	}
	return known
}

func (t *taken) add(batch []*entry) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, en := range batch {
		t.put(identityOf(en))
	}
}

func (t *taken) put(key identityKey) {
	if len(t.now) >= maxTaken {
		t.now, t.old = make(map[identityKey]struct{}, maxTaken), t.now
	}
	t.now[key] = struct{}{}
}

// forget is for a database from which somebody has removed events after all.
func (t *taken) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	clear(t.now)
	clear(t.old)
}
