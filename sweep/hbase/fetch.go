package hbase

import (
	"bytes"
	"context"

	"hbtune/sweep/hbase/wire"
)

// fetch makes one successful call for more rows, opening a scanner where none
// is open, or finds that the scan is over.
func (s *Scanner) fetch() error {
	err := s.fetchOnce()
	if err == nil {
		return nil
	}
	retry := newRetrier(s.table, "Scan", s.at.row)
	retry.scanning = true
	for {
		// Whatever failed, a new scanner goes on where the rows end that were
		// given: whether the server still has the old one need not be known.
		tried := s.region
		s.open, s.region = false, nil
		s.rows.reset()
		s.at.reopened()
		if err = retry.after(s.ctx, tried, err); err != nil {
			return err
		}
		if err = s.fetchOnce(); err == nil {
			return nil
		}
	}
}

func (s *Scanner) fetchOnce() error {
	if s.regionEnd {
		s.regionEnd = false
		s.leaveRegion()
		if s.over {
			return nil
		}
	}
	request := wire.ScanCall{Rows: s.rowsPerCall(), Limit: max(s.at.left, 0)}
	if s.open {
		request.ScannerID, request.Sequence = s.id, s.sequence
		s.sequence++
	} else {
		if err := s.findRegion(); err != nil || s.over {
			return err
		}
		s.fillRequest()
		request.Region, request.Scan = s.region.name, &s.request
	}
	s.call.param = wire.AppendScan(s.call.param[:0], &request)
	reply, err := s.send(s.ctx, s.call)
	if err != nil {
		return err
	}
	if err := s.reply.Parse(reply); err != nil {
		return err
	}
	if !s.open {
		s.open, s.id, s.sequence = true, s.reply.ScannerID, 0
	}
	// The server closes the scanner itself when it has nothing more to say.
	s.over = !s.reply.MoreResults
	s.regionEnd = !s.reply.MoreInRegion
	s.open = !s.over && !s.regionEnd
	return nil
}

func (s *Scanner) send(ctx context.Context, call *call) (wire.Reply, error) {
	call.cells = call.cells[:0]
	return s.table.send(ctx, s.region.server, "Scan", s.table.client.cfg.ScanTimeout, call)
}

func (s *Scanner) rowsPerCall() int {
	n := s.table.client.cfg.ScanRows
	if s.scan.RowsPerCall > 0 {
		n = s.scan.RowsPerCall
	}
	if s.at.left > 0 {
		n = min(n, s.at.left)
	}
	return n
}

// fillRequest says what is still wanted of the scan.
func (s *Scanner) fillRequest() {
	scan := &s.scan
	bytesPerCall := scan.BytesPerCall
	if bytesPerCall == 0 {
		bytesPerCall = s.table.client.cfg.ScanBytes
	}
	s.request = wire.Scan{
		StartRow: s.at.row, ExcludeStartRow: s.at.after,
		StopRow: scan.StopRow, IncludeStopRow: scan.InclusiveStop, Reversed: scan.Reversed,
		Columns: scan.Columns, MaxVersions: scan.MaxVersions, TimeRange: scan.TimeRange,
		MaxResultBytes: bytesPerCall, BatchCells: scan.BatchCells, AllowPartial: scan.AllowPartial,
		SkipCache: scan.SkipCache, ReadType: scan.ReadType,
	}
}

// findRegion finds the region to go on in.
func (s *Scanner) findRegion() (err error) {
	if s.scan.Reversed && len(s.at.row) == 0 {
		s.region, err = s.table.locateBefore(s.ctx, nil)
		return err
	}
	if s.region, err = s.table.locate(s.ctx, s.at.row); err != nil {
		return err
	}
	if s.scan.Reversed && s.at.after && bytes.Equal(s.region.start, s.at.row) {
		// Nothing before row is left in its own region.
		if len(s.region.start) == 0 {
			s.over = true
			return nil
		}
		s.region, err = s.table.locateBefore(s.ctx, s.at.row)
	}
	return err
}

// leaveRegion goes to the next region, or finds that there is none of
// interest.
func (s *Scanner) leaveRegion() {
	r, stop := s.region, s.scan.StopRow
	s.region = nil
	if s.scan.Reversed {
		if len(r.start) == 0 || len(stop) > 0 && bytes.Compare(r.start, stop) <= 0 {
			s.over = true
			return
		}
		s.at.moved(r.start, true)
		return
	}
	if len(r.end) == 0 {
		s.over = true
		return
	}
	if len(stop) > 0 {
		if c := bytes.Compare(r.end, stop); c > 0 || c == 0 && !s.scan.InclusiveStop {
			s.over = true
			return
		}
	}
	s.at.moved(r.end, false)
}
