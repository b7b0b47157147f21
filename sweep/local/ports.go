package local

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"syscall"
	"time"
)

// PortError says that a port a cluster was made with is now another program's.
type PortError struct {
	Daemon string
	Port   int
}

func (e *PortError) Error() string {
	return fmt.Sprintf("port %d of %s is taken by another program: stop that, or make another cluster with --name", e.Port, e.Daemon)
}

// Ports are chosen below the range from which systems take the ports of
// outgoing connections, so that they are still free after a pause.
const (
	lowestPort  = 20000
	highestPort = 32000
)

// assignPorts gives every daemon ports that are free now.
func assignPorts(s *state) error {
	used := map[int]bool{}
	for i := range s.Daemons {
		d := &s.Daemons[i]
		want := []*int{&d.Port}
		switch d.Role {
		case zooKeeper:
		case dataNode:
			want = append(want, &d.InfoPort, &d.ExtraPort)
		default:
			want = append(want, &d.InfoPort)
		}
		for _, p := range want {
			port, err := freePort(used)
			if err != nil {
				return err
			}
			*p, used[port] = port, true
		}
	}
	return nil
}

func freePort(used map[int]bool) (int, error) {
	for range 1000 {
		port := lowestPort + rand.IntN(highestPort-lowestPort)
		if !used[port] && !portTaken(port) {
			return port, nil
		}
	}
	return 0, errors.New("no free port on 127.0.0.1 between 20000 and 32000")
}

func portTaken(port int) bool {
	l, err := net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return errors.Is(err, syscall.EADDRINUSE)
	}
	_ = l.Close()
	return false
}

// portPatience is how long a port may stay taken after its daemon has ended: the
// system closes it with the process's last thread.
const portPatience = 3 * time.Second

// checkPorts reports a port of a daemon, not running now, that is taken.
func checkPorts(ctx context.Context, d *daemon) error {
	ctx, cancel := context.WithTimeout(ctx, portPatience)
	defer cancel()
	for _, port := range d.ports() {
		if poll(ctx, 50*time.Millisecond, func() (bool, error) { return !portTaken(port), nil }) != nil {
			return &PortError{d.Name, port}
		}
	}
	return nil
}
