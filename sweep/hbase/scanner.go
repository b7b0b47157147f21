package hbase

import (
	"context"

	"hbtune/sweep/hbase/wire"
)

// Scanner walks through the rows of a scan, region by region. When a region
// moves or a server dies it goes on after the last row it has given. It is used
// by one goroutine, and may be started again for another scan.
type Scanner struct {
	ctx    context.Context
	table  *Table
	scan   Scan
	rows   rows
	result Result
	err    error
	over   bool // no more calls are to be made

	at position

	// The server's scanner.
	region    *region
	open      bool
	id        uint64
	sequence  uint64
	regionEnd bool // all of region has been fetched

	request wire.Scan
	call    *call
	reply   wire.ScanReply
}

// Start begins a scan, giving up what the scanner did before.
func (s *Scanner) Start(ctx context.Context, t *Table, scan *Scan) {
	s.Close()
	kept := *s
	kept.rows.reset()
	kept.rows.pieces = scan.AllowPartial || scan.BatchCells > 0
	kept.result.Reset()
	*s = Scanner{ctx: ctx, table: t, scan: *scan, rows: kept.rows, result: kept.result, call: kept.call}
	if s.call == nil {
		s.call = newCall()
	}
	s.at = position{row: append(kept.at.row[:0], scan.StartRow...), after: scan.ExclusiveStart, left: -1}
	if scan.Limit > 0 {
		s.at.left = scan.Limit
	}
}

// Result is the row that the last Next came to. It is valid until the next
// Next.
func (s *Scanner) Result() *Result { return &s.result }

// Err is why Next returned false: nil at the end of the scan.
func (s *Scanner) Err() error { return s.err }

// Next goes to the next row; false means that there is none, or an error.
func (s *Scanner) Next() bool {
	for s.err == nil && s.at.left != 0 {
		got, err := s.rows.next(&s.result.Result, &s.reply, !s.open)
		switch {
		case err != nil:
			s.err = err
		case got:
			if s.at.advance(&s.result) {
				return true
			}
		case s.over:
			return false
		default:
			s.err = s.fetch()
		}
	}
	return false
}

// Renew tells the server that the scan is still wanted, for callers that take
// longer over a row than hbase.client.scanner.timeout.period.
func (s *Scanner) Renew(ctx context.Context) error {
	if !s.open || s.err != nil {
		return nil
	}
	call := s.table.client.getCall()
	defer s.table.client.putCall(call)
	call.param = wire.AppendScan(call.param[:0], &wire.ScanCall{ScannerID: s.id, Renew: true, Sequence: s.sequence})
	s.sequence++
	if _, err := s.send(ctx, call); err != nil {
		retry := newRetrier(s.table, "Scan", s.at.row)
		return retry.final(s.region, err, true)
	}
	return nil
}

// Close gives up what is left of the scan. It may be called at any time, and
// more than once.
func (s *Scanner) Close() {
	if !s.open || s.ctx.Err() != nil {
		return // without being told, the server ends it after a minute
	}
	s.open = false
	s.over = true
	s.call.param = wire.AppendScan(s.call.param[:0], &wire.ScanCall{ScannerID: s.id, Close: true})
	s.send(s.ctx, s.call)
}
