package cmd

import (
	"context"
	"fmt"
	"time"

	"hbtune/sweep/diagnose"
	"hbtune/sweep/inspect"
	"hbtune/sweep/trial"
)

// askLimit bounds how long the servers are asked what they run with.
const askLimit = 20 * time.Second

// diagnosis says what a measurement shows, judged by what the servers run with.
func (s *loadSession) diagnosis(ctx context.Context, e *env, m *trial.Measurement) []diagnose.Conclusion {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	sizing, servers, err := inspect.Sizing(ctx, inspect.Config{URLs: s.servers, Cluster: s.client.Admin()})
	if err != nil {
		fmt.Fprintf(e.Err, "only the client is judged, since what the servers run with could not be read: %v\n", err)
	}
	return diagnose.Diagnose(diagnose.OfLoad(m, sizing, servers))
}
