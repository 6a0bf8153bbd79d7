package store

import (
	"slices"
	"sync"
	"time"
)

// How a process remembers where work is. Only its memory is bounded by these: what it has forgotten, or was never told,
// it finds with the next full look.
const (
	// fullLook is the pause between two looks at the whole queue. Between them claims begin at the last claimed due
	// time: under an old open snapshot the rows that were deleted before it can't be removed, and each look at the front
	// of the queue steps over all of them.
	fullLook = 2 * time.Second
	// lateCommit is how much later than its due time an item may be committed and still be found between full looks.
	lateCommit = 250 * time.Millisecond
	// liveliness is how long an account that has nothing due is still asked with every claim.
	liveliness = 10 * time.Second
)

// share is how many items an account may get from a claim, and the due time at which the search for them begins.
type share struct {
	account string
	from    int64
	limit   int
}

// demand is what to claim now: shares in the order in which they are asked for, until the limit is reached.
type demand struct {
	shares []share
	limit  int
	lease  time.Duration
	now    time.Time
}

// fair divides claims between accounts, so that the backlog of one keeps none of the others waiting: each gets the same
// share, and what some don't need goes to the rest.
type fair struct {
	now func() time.Time

	mu       sync.Mutex
	accounts map[string]*lively
	looked   time.Time
	next     int
}

// lively is an account that had work lately.
type lively struct {
	// from is where its next claim begins, in microseconds.
	from int64
	seen time.Time
}

func newFair() *fair {
	return &fair{now: time.Now, accounts: make(map[string]*lively)}
}

// tell says that accounts have work that is due now.
func (f *fair) tell(accounts ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, account := range accounts {
		f.known(account).seen = f.now()
	}
}

func (f *fair) known(account string) *lively {
	known := f.accounts[account]
	if known == nil {
		known = &lively{}
		f.accounts[account] = known
	}
	return known
}

// goBack says that something of an account is due that may be older than what it claimed last.
func (f *fair) goBack(account string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	known := f.known(account)
	known.from, known.seen = 0, f.now()
}

// mustLook says that it is time for a full look, and takes it as done: who can't look tries again after the pause.
func (f *fair) mustLook() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.forget()
	if len(f.accounts) > 0 && f.now().Sub(f.looked) < fullLook {
		return false
	}
	f.looked = f.now()
	return true
}

// lookSoon has the next claim take a full look.
func (f *fair) lookSoon() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.looked = time.Time{}
}

// forget drops the accounts that have had nothing for a while.
func (f *fair) forget() {
	for account, known := range f.accounts {
		if f.now().Sub(known.seen) > liveliness {
			delete(f.accounts, account)
		}
	}
}

// saw takes the result of a full look: the accounts that have something due. Their next claims begin at the front.
func (f *fair) saw(accounts []string) {
	for _, account := range accounts {
		f.goBack(account)
	}
}

// shares divides a claim between the lively accounts.
func (f *fair) shares(limit int) []share {
	f.mu.Lock()
	defer f.mu.Unlock()
	names := make([]string, 0, len(f.accounts))
	for account := range f.accounts {
		names = append(names, account)
	}
	slices.Sort(names)
	f.next++
	shares := divide(names, f.next, limit)
	for i := range shares {
		shares[i].from = f.accounts[shares[i].account].from
	}
	return shares
}

// divide gives each of the names, beginning with one of them, its part of a limit. Where there are more names than items
// to claim it is one for each, as far as they go; the next claim begins with the next name.
func divide(names []string, first, limit int) []share {
	n := len(names)
	shares := make([]share, n)
	for i := range shares {
		shares[i] = share{account: names[(first+i)%n], limit: limit / n}
		if i < limit%n || limit < n {
			shares[i].limit++
		}
	}
	return shares
}

// claimed takes what a claim found.
func (f *fair) claimed(claims []Claim) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range claims {
		known := f.known(c.Account)
		known.seen = f.now()
		known.from = max(known.from, micros(c.DueAt.Add(-lateCommit)))
	}
}

// hungry are the accounts that got all that their share allowed, and may have more.
func hungry(shares []share, claims []Claim) []string {
	got := make(map[string]int)
	for _, c := range claims {
		got[c.Account]++
	}
	var names []string
	for _, s := range shares {
		if got[s.account] >= s.limit {
			names = append(names, s.account)
		}
	}
	return names
}

// turn is whose turn it is to be first.
func (f *fair) turn() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.next++
	return f.next
}
