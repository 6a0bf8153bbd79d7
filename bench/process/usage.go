package process

import (
	"fmt"
	"time"

	"github.com/prometheus/procfs"
)

// Usage is what a process has cost since it started. The kernel counts CPU time in steps of 10 ms.
type Usage struct {
	CPU time.Duration
	// Written is how many bytes it had the kernel write to storage.
	Written int64
	// Resident is its memory by now, Peak the most that it ever was, in bytes.
	Resident, Peak int64
}

func usageOf(pid int) (Usage, error) {
	proc, err := procfs.NewProc(pid)
	if err != nil {
		return Usage{}, fmt.Errorf("process %d: %w", pid, err)
	}
	stat, err := proc.Stat()
	if err != nil {
		return Usage{}, fmt.Errorf("process %d: %w", pid, err)
	}
	status, err := proc.NewStatus()
	if err != nil {
		return Usage{}, fmt.Errorf("process %d: %w", pid, err)
	}
	io, err := proc.IO()
	if err != nil {
		return Usage{}, fmt.Errorf("process %d: %w", pid, err)
	}
	return Usage{
		CPU: seconds(stat.CPUTime()), Written: int64(io.WriteBytes),
		Resident: int64(status.VmRSS), Peak: int64(status.VmHWM),
	}, nil
}

// FamilyCPU is the CPU time of a process and of all that it started, those that have ended included.
func FamilyCPU(pid int) (time.Duration, error) {
	all, err := procfs.AllProcs()
	if err != nil {
		return 0, fmt.Errorf("processes: %w", err)
	}
	var sum time.Duration
	for _, proc := range all {
		stat, err := proc.Stat()
		if err != nil {
			continue // it has ended meanwhile, and its parent counts it from now on
		}
		switch pid {
		case stat.PID:
			sum += seconds(stat.CPUTime()) + ticks(stat.CUTime+stat.CSTime)
		case stat.PPID:
			sum += seconds(stat.CPUTime())
		}
	}
	return sum, nil
}

// Parent is the process that started another. The other must run the program that is named: on another machine a number
// is somebody else's.
func Parent(pid int, program string) (int, error) {
	proc, err := procfs.NewProc(pid)
	if err != nil {
		return 0, fmt.Errorf("process %d: %w", pid, err)
	}
	stat, err := proc.Stat()
	if err != nil {
		return 0, fmt.Errorf("process %d: %w", pid, err)
	}
	if stat.Comm != program {
		return 0, fmt.Errorf("process %d: runs %s, not %s", pid, stat.Comm, program)
	}
	return stat.PPID, nil
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// ticks are hundredths of a second wherever Linux runs Go.
func ticks(n int) time.Duration { return time.Duration(n) * 10 * time.Millisecond }
