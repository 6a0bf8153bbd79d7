package process

import (
	"fmt"
	"syscall"
	"time"

	"github.com/prometheus/procfs"
)

// Busy is processor time that was spent.
type Busy struct {
	// Machine is by everybody on the machine, Ours by this process and the processes that it has started and seen end.
	Machine, Ours time.Duration
}

// BusySoFar is what was spent until now.
func BusySoFar() (Busy, error) {
	fs, err := procfs.NewDefaultFS()
	if err != nil {
		return Busy{}, fmt.Errorf("machine: %w", err)
	}
	stat, err := fs.Stat()
	if err != nil {
		return Busy{}, fmt.Errorf("machine: %w", err)
	}
	all := stat.CPUTotal
	busy := Busy{Machine: seconds(all.User + all.Nice + all.System + all.IRQ + all.SoftIRQ + all.Steal)}
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var usage syscall.Rusage
		if err := syscall.Getrusage(who, &usage); err != nil {
			return Busy{}, fmt.Errorf("machine: %w", err)
		}
		busy.Ours += time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	}
	return busy, nil
}
