// Package metrics reads what HBase's servers say of themselves over HTTP: their
// figures (/jmx) and their running configuration (/conf).
//
// A Snapshot holds the figures of one RegionServer, or the sum over several,
// under names of this package; Delta turns two of them into what happened in
// between, and DataHitRate reads the block cache's hit rate out of that.
//
// Servers leave gaps: when regions open or close they rebuild their figures,
// and for about half a second an answer has none, or only names. A missing
// figure is therefore asked for again, never taken as 0. Figures other than
// the JVM's own are samples: they move once in a period, which is 10 s unless
// the server's hadoop-metrics2-hbase.properties says otherwise (a cluster of
// sweep/local has 1 s).
//
// sweep/load takes snapshots around and during a load, sweep/apply verifies
// with Conf, sweep/local has the servers.
package metrics

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Client reads from any number of servers. It is safe for concurrent use.
type Client struct {
	http *http.Client
}

// New makes a client; nil means http.DefaultClient.
func New(client *http.Client) *Client {
	if client == nil {
		client = http.DefaultClient
	}
	return &Client{client}
}

const (
	// requestLimit bounds one request. Servers under load answer late.
	requestLimit = 10 * time.Second
	// gapLimit bounds the waiting for a figure that is missing, where the
	// context does not: after that it is not a gap but another kind of server.
	gapLimit = 30 * time.Second
	// gapPause lies between two tries.
	gapPause = 100 * time.Millisecond
	// lostTries is how often a server may break a connection in a row.
	lostTries = 3
	// sizeLimit bounds an answer; /jmx as a whole with a thousand regions has
	// about 20 MB.
	sizeLimit = 64 << 20
)

// get fetches one page.
func (c *Client) get(ctx context.Context, baseURL, path string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, requestLimit)
	defer cancel()
	address := strings.TrimRight(baseURL, "/") + path
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, &fatal{err}
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, &lost{err}
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, sizeLimit+1))
	if err != nil {
		return nil, &lost{fmt.Errorf("%s: %w", address, err)}
	}
	if len(body) > sizeLimit {
		return nil, &fatal{fmt.Errorf("%s: the answer is longer than %d MB", address, sizeLimit>>20)}
	}
	if response.StatusCode != http.StatusOK {
		return nil, &lost{fmt.Errorf("%s: %s", address, response.Status)}
	}
	return body, nil
}

// getBeans fetches the beans that match an ObjectName pattern.
func (c *Client) getBeans(ctx context.Context, baseURL, pattern string) ([]bean, error) {
	return c.jmx(ctx, baseURL, "qry="+url.QueryEscape(pattern))
}

// getAttribute fetches a bean with one attribute alone, or without any where it
// does not have it.
func (c *Client) getAttribute(ctx context.Context, baseURL, bean, attribute string) ([]bean, error) {
	return c.jmx(ctx, baseURL, "get="+url.QueryEscape(bean+"::"+attribute))
}

func (c *Client) jmx(ctx context.Context, baseURL, query string) ([]bean, error) {
	body, err := c.get(ctx, baseURL, "/jmx?"+query)
	if err != nil {
		return nil, err
	}
	beans, err := decodeBeans(body)
	if err != nil {
		return nil, &fatal{fmt.Errorf("%s/jmx: %w", baseURL, err)}
	}
	return beans, nil
}

// Whether another try makes sense is a property of the error.
type (
	lost  struct{ error } // the server did not answer
	fatal struct{ error } // it never will
)

func (e *lost) Unwrap() error  { return e.error }
func (e *fatal) Unwrap() error { return e.error }

// retry repeats a reading until it is complete. A server that does not answer
// several times in a row is an error; one that answers with gaps is waited for.
func retry[T any](ctx context.Context, read func(context.Context) (T, error)) (T, error) {
	outer := ctx
	ctx, cancel := context.WithTimeout(ctx, gapLimit)
	defer cancel()
	var gap error // what was missing last
	losses := 0
	for {
		value, err := read(ctx)
		if err == nil {
			return value, nil
		}
		var gone *lost
		var hopeless *fatal
		switch {
		case errors.As(err, &hopeless):
			return value, err
		case ctx.Err() != nil:
			if gap == nil {
				gap = err
			}
			return value, fmt.Errorf("%w (%w)", gap, cmp.Or(outer.Err(), ctx.Err()))
		case errors.As(err, &gone):
			if losses++; losses == lostTries {
				return value, err
			}
		default:
			gap, losses = err, 0
		}
		select {
		case <-ctx.Done():
		case <-time.After(gapPause):
		}
	}
}
