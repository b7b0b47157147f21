package hbase

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// proxy stands between the client and a server and does to the server's bytes
// what a test asks for.
type proxy struct {
	listener net.Listener
	to       string
	// spoil may change what the server sent, or return false to cut the
	// connection after it.
	spoil func(b []byte) ([]byte, bool)
	wg    sync.WaitGroup
	mu    sync.Mutex
	conns []net.Conn
}

func newProxy(t testing.TB, to string, spoil func([]byte) ([]byte, bool)) *proxy {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: l, to: to, spoil: spoil}
	p.wg.Go(func() {
		for {
			nc, err := l.Accept()
			if err != nil {
				return
			}
			p.wg.Go(func() { p.serve(nc) })
		}
	})
	t.Cleanup(func() {
		l.Close()
		p.mu.Lock()
		for _, nc := range p.conns {
			nc.Close()
		}
		p.mu.Unlock()
		p.wg.Wait()
	})
	return p
}

func (p *proxy) serve(client net.Conn) {
	server, err := net.Dial("tcp", p.to)
	if err != nil {
		client.Close()
		return
	}
	p.mu.Lock()
	p.conns = append(p.conns, client, server)
	p.mu.Unlock()
	p.wg.Go(func() {
		io.Copy(server, client)
		server.Close()
	})
	defer client.Close()
	defer server.Close()
	buf := make([]byte, 4096)
	for {
		n, err := server.Read(buf)
		if err != nil {
			return
		}
		b, goOn := p.spoil(buf[:n])
		if _, err := client.Write(b); err != nil || !goOn {
			return
		}
	}
}

// Whatever a network does to the stream, a caller gets its own row or a typed
// error in time, never another's row, and nothing is left running.
func TestSpoiledStreams(t *testing.T) {
	var turn atomic.Uint64
	every := func(n uint64) bool { return turn.Add(1)%n == 0 }
	spoilers := map[string]func([]byte) ([]byte, bool){
		"cut":    func(b []byte) ([]byte, bool) { return b, !every(20) },
		"halved": func(b []byte) ([]byte, bool) { return b[:(len(b)+1)/2], !every(10) && len(b) == 1 },
		"garbled": func(b []byte) ([]byte, bool) {
			if every(20) {
				b[rand.IntN(min(len(b), 4))] ^= 0xff // the length of a frame, mostly
			}
			return b, true
		},
		"trickled": func(b []byte) ([]byte, bool) { time.Sleep(time.Duration(len(b)) * time.Microsecond); return b, true },
	}
	for name, spoil := range spoilers {
		t.Run(name, func(t *testing.T) {
			f := newFake(t, 1, "t")
			for i := range 100 {
				f.rows[fmt.Sprintf("%03d", i)] = fmt.Sprintf("value-of-%03d", i)
			}
			p := newProxy(t, f.servers[0].addr(), spoil)
			c := f.client(Config{Retries: 3, RPCTimeout: 200 * time.Millisecond})
			tb := c.Table("t")
			tb.cache.put(c.newRegion([]byte(f.regions[0].name()), nil, nil, p.listener.Addr().String()))
			var good atomic.Int64
			var wg sync.WaitGroup
			for range 8 {
				wg.Go(func() {
					var result Result
					for i := range 50 {
						ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
						row := fmt.Sprintf("%03d", (i*13)%100)
						err := tb.Get(ctx, &Get{Row: []byte(row)}, &result)
						cancel()
						var e *Error
						switch {
						case err != nil && !errors.As(err, &e):
							t.Errorf("error of type %T: %v", err, err)
						case err == nil:
							if v, _ := result.Value(family, qualifier); string(v) != "value-of-"+row {
								t.Errorf("row %s has value %q", row, v)
							}
							good.Add(1)
						}
						// Go through the proxy again, whatever was learnt.
						tb.cache.put(c.newRegion([]byte(f.regions[0].name()), nil, nil, p.listener.Addr().String()))
					}
				})
			}
			wg.Wait()
			if good.Load() == 0 {
				t.Error("not one get got through")
			}
		})
	}
}

// A frame whose payload was changed on the way can't be told from a good one;
// but bytes that are no frame at all must end the connection with an error that
// says so.
func TestWebServerIsRecognised(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		nc, err := l.Accept()
		if err != nil {
			return
		}
		io.WriteString(nc, "HTTP/1.1 400 Bad Request\r\n\r\n")
		io.Copy(io.Discard, nc)
		nc.Close()
	}()
	s := canned{listener: l}
	tb := s.table(t, Config{})
	err = tb.Get(context.Background(), &Get{Row: []byte("a")}, new(Result))
	var e *Error
	if !errors.As(err, &e) || e.Attempts != 1 || e.Retryable {
		t.Errorf("%v", err)
	}
	l.Close()
	<-done
}

func TestNoServerAtAll(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	_, err = Dial(ctx, Config{Quorum: l.Addr().String()})
	if err == nil || ctx.Err() != nil {
		t.Errorf("%v", err)
	}
	_, err = Dial(ctx, Config{Quorum: "no-such-host.invalid:2181"})
	if err == nil || ctx.Err() != nil {
		t.Errorf("%v", err)
	}
	_, err = Dial(ctx, Config{Quorum: " ", ZNode: "hbase", Connections: -1})
	if err == nil {
		t.Error("a bad configuration was taken")
	}
}
