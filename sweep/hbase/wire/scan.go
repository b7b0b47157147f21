package wire

import "google.golang.org/protobuf/encoding/protowire"

// ReadType says how store files are to be read.
type ReadType int

// Read types; by default the server begins with pread and changes to stream.
const (
	ReadDefault ReadType = iota
	ReadStream
	ReadPread
)

// Scan asks for the rows of a range, as the server is told when a scanner is
// opened.
type Scan struct {
	StartRow, StopRow []byte
	ExcludeStartRow   bool
	IncludeStopRow    bool
	Reversed          bool
	Columns           []Column
	MaxVersions       int
	TimeRange         TimeRange
	// MaxResultBytes bounds one reply; the server has its own bound too.
	MaxResultBytes int
	// BatchCells bounds the cells of one Result: long rows come in pieces.
	BatchCells   int
	AllowPartial bool
	SkipCache    bool
	ReadType     ReadType
}

func (s *Scan) append(b []byte) []byte {
	b = appendColumns(b, 1, s.Columns)
	if len(s.StartRow) > 0 {
		b = appendBytes(b, 3, s.StartRow)
	}
	if len(s.StopRow) > 0 {
		b = appendBytes(b, 4, s.StopRow)
	}
	b = s.TimeRange.append(b, 6)
	if s.MaxVersions > 1 {
		b = appendUint(b, 7, uint64(s.MaxVersions))
	}
	if s.SkipCache {
		b = appendBool(b, 8, false)
	}
	if s.BatchCells > 0 {
		b = appendUint(b, 9, uint64(s.BatchCells))
	}
	if s.MaxResultBytes > 0 {
		b = appendUint(b, 10, uint64(s.MaxResultBytes))
	}
	if s.Reversed {
		b = appendBool(b, 15, true)
	}
	if s.AllowPartial {
		b = appendBool(b, 18, true)
	}
	if s.ExcludeStartRow {
		b = appendBool(b, 21, false)
	}
	if s.IncludeStopRow {
		b = appendBool(b, 22, true)
	}
	if s.ReadType != ReadDefault {
		b = appendUint(b, 23, uint64(s.ReadType))
	}
	return b
}

// ScanCall is one call of method Scan: opening a scanner (Region and Scan are
// set), going on (ScannerID), renewing its lease, closing it, or several of
// these at once.
type ScanCall struct {
	Region    []byte
	Scan      *Scan
	ScannerID uint64
	Rows      int // most rows to return; 0 with Scan set only opens
	Limit     int // rows after which the scan is over; 0: none
	Sequence  uint64
	Close     bool
	Renew     bool
}

// AppendScan appends the parameter of method Scan.
func AppendScan(b []byte, c *ScanCall) []byte {
	b, param := beginPrefixed(b)
	if c.Scan != nil {
		b = appendRegion(b, 1, c.Region)
		var mark int
		b, mark = begin(b, 2)
		b = end(c.Scan.append(b), mark)
	} else {
		b = appendUint(b, 3, c.ScannerID)
	}
	b = appendUint(b, 4, uint64(c.Rows))
	if c.Close {
		b = appendBool(b, 5, true)
	}
	if c.Scan == nil && !(c.Close && c.Rows == 0) {
		b = appendUint(b, 6, c.Sequence)
	}
	b = appendBool(b, 7, true) // partial rows are understood
	b = appendBool(b, 8, true) // heartbeats too
	if c.Renew {
		b = appendBool(b, 10, true)
	}
	if c.Limit > 0 {
		b = appendUint(b, 11, uint64(c.Limit))
	}
	return end(b, param)
}

// ScanReply is the answer to a ScanCall. Rows come one after the other from
// Next, out of the frame.
type ScanReply struct {
	ScannerID    uint64
	LeaseMillis  int
	MoreResults  bool // false: the whole scan is over
	MoreInRegion bool // false: go on in the next region
	Heartbeat    bool

	message []byte
	block   CellBlock
	counts  repeated // cells_per_result
	partial repeated // partial_flag_per_result
	inline  fields   // results within the message
}

// Parse reads the answer to Scan.
func (s *ScanReply) Parse(reply Reply) error {
	*s = ScanReply{
		MoreResults: true, MoreInRegion: true,
		message: reply.Message, block: NewCellBlock(reply.Cells),
		counts: repeatedOf(reply.Message, 1), partial: repeatedOf(reply.Message, 7),
		inline: fieldsOf(reply.Message),
	}
	f := fieldsOf(reply.Message)
	for f.next() {
		switch f.num {
		case 2:
			s.ScannerID = f.uint()
		case 3:
			s.MoreResults = f.bool()
		case 4:
			s.LeaseMillis = f.int()
		case 8:
			s.MoreInRegion = f.bool()
		case 9:
			s.Heartbeat = f.bool()
		}
	}
	return f.err
}

// Next reads the next row, or piece of a row, into result; false means that
// the reply holds no more.
func (s *ScanReply) Next(result *Result) (bool, error) {
	result.Reset()
	if n, ok := s.counts.next(); ok {
		if err := result.take(int(n), &s.block); err != nil {
			return false, err
		}
		flag, _ := s.partial.next()
		result.Partial = flag != 0
		return true, s.partial.err()
	}
	if err := s.counts.err(); err != nil {
		return false, err
	}
	for s.inline.next() {
		if s.inline.num == 5 {
			if err := result.parse(s.inline.bytes(), &s.block); err != nil {
				return false, err
			}
			return true, s.inline.err
		}
	}
	return false, s.inline.err
}

// repeated reads one repeated number of a message, packed or not.
type repeated struct {
	f      fields
	num    number
	packed []byte
}

func repeatedOf(msg []byte, num number) repeated {
	return repeated{f: fieldsOf(msg), num: num}
}

func (r *repeated) next() (uint64, bool) {
	for {
		if len(r.packed) > 0 {
			v, n := protowire.ConsumeVarint(r.packed)
			if n < 0 {
				return 0, r.f.fail(protowire.ParseError(n))
			}
			r.packed = r.packed[n:]
			return v, true
		}
		if !r.f.next() {
			return 0, false
		}
		if r.f.num != r.num {
			continue
		}
		if r.f.typ == protowire.BytesType {
			r.packed = r.f.data
			continue
		}
		return r.f.uint(), r.f.err == nil
	}
}

func (r *repeated) err() error { return r.f.err }
