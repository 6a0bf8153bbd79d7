package pgtest

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// unprivileged is the user that Debian's package makes for PostgreSQL, which refuses to run as root.
const unprivileged = "postgres"

// Cluster is a PostgreSQL server of a test's own, to be stopped and started at will.
type Cluster struct {
	home, bin string
	port      int
	settings  []string
}

// StartCluster starts a server with further settings, as in fsync=on. It ends with the test.
func StartCluster(t testing.TB, settings ...string) *Cluster {
	t.Helper()
	bin, err := programs()
	if err != nil {
		t.Fatal(err)
	}
	home, err := makeHome()
	if err != nil {
		t.Fatal(err)
	}
	c := &Cluster{home: home, bin: bin, settings: settings}
	t.Cleanup(func() {
		_ = c.run(context.Background(), "pg_ctl", "-D", c.data(), "-m", "immediate", "-w", "stop") // it may be stopped already
		if err := os.RemoveAll(home); err != nil {
			t.Error(err)
		}
	})
	if err := c.hand(); err != nil {
		t.Fatal(err)
	}
	err = c.run(t.Context(), "initdb", "-D", c.data(), "-U", "waybill", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
	if err != nil {
		t.Fatal(err)
	}
	if c.port, err = freePort(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.Start(t)
	return c
}

// makeHome makes the server's folder. It is not the test's own: that one's path may be too long for a socket, and is closed
// to the server's user.
func makeHome() (string, error) { return os.MkdirTemp("", "waybill-cluster-") }

// URL is where the server's database is.
func (c *Cluster) URL() string {
	return fmt.Sprintf("postgres://waybill@127.0.0.1:%d/postgres?sslmode=disable", c.port)
}

// Address is where the server listens.
func (c *Cluster) Address() string { return fmt.Sprintf("127.0.0.1:%d", c.port) }

// Start starts the server, and waits until it answers.
func (c *Cluster) Start(t testing.TB) {
	t.Helper()
	options := []string{
		"-p", strconv.Itoa(c.port), "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=" + c.home,
	}
	for _, setting := range append([]string{"fsync=off"}, c.settings...) {
		options = append(options, "-c", setting)
	}
	err := c.run(t.Context(), "pg_ctl", "-D", c.data(), "-w", "-t", "30", "-l", filepath.Join(c.home, "log"),
		"-o", strings.Join(options, " "), "start")
	if err != nil {
		text, _ := os.ReadFile(filepath.Join(c.home, "log"))
		t.Fatalf("%v\n%s", err, text)
	}
}

// Crash stops the server at once, as a power cut would: what it had acknowledged is in its log.
func (c *Cluster) Crash(t testing.TB) {
	t.Helper()
	if err := c.run(t.Context(), "pg_ctl", "-D", c.data(), "-m", "immediate", "-w", "stop"); err != nil {
		t.Fatal(err)
	}
}

func (c *Cluster) data() string { return filepath.Join(c.home, "data") }

// hand gives the folder to the user that the server runs as.
func (c *Cluster) hand() error {
	if os.Geteuid() != 0 {
		return nil
	}
	account, err := user.Lookup(unprivileged)
	if err != nil {
		return fmt.Errorf("PostgreSQL doesn't run as root, and its own user is missing: %w", err)
	}
	uid, err := strconv.Atoi(account.Uid)
	if err != nil {
		return err
	}
	gid, err := strconv.Atoi(account.Gid)
	if err != nil {
		return err
	}
	return os.Chown(c.home, uid, gid)
}

// run runs one of PostgreSQL's programs, as a user without rights.
func (c *Cluster) run(ctx context.Context, program string, args ...string) error {
	command := []string{filepath.Join(c.bin, program)}
	if os.Geteuid() == 0 {
		command = []string{"setpriv", "--reuid=" + unprivileged, "--regid=" + unprivileged, "--clear-groups", command[0]}
	}
	command = append(command, args...)
	process := exec.CommandContext(ctx, command[0], command[1:]...)
	process.Dir = c.home
	process.Env = append(os.Environ(), "LC_ALL=C")
	// To a file: the server keeps what it inherits, and a pipe would never end.
	output, err := os.CreateTemp(c.home, program)
	if err != nil {
		return err
	}
	defer output.Close()
	process.Stdout, process.Stderr = output, output
	if err := process.Run(); err != nil {
		text, _ := os.ReadFile(output.Name())
		return fmt.Errorf("%s: %w: %s", program, err, bytes.TrimSpace(text))
	}
	return nil
}

// programs finds where PostgreSQL's programs are: the newest of Debian's, or those on the path.
func programs() (string, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil {
		return "", err
	}
	if len(found) > 0 {
		newest := slices.MaxFunc(found, func(a, b string) int { return release(a) - release(b) })
		return filepath.Dir(newest), nil
	}
	initdb, err := exec.LookPath("initdb")
	if err != nil {
		return "", fmt.Errorf("PostgreSQL's server programs were not found; run .ci/tools: %w", err)
	}
	return filepath.Dir(initdb), nil
}

// release is the version in the path of one of Debian's programs.
func release(path string) int {
	number, err := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(path))))
	if err != nil {
		return 0
	}
	return number
}

func freePort(ctx context.Context) (int, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port, nil
}
