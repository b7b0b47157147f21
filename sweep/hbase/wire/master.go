package wire

import "strings"

// AppendEmpty appends a parameter without fields.
func AppendEmpty(b []byte) []byte { return append(b, 0) }

// Nonce marks a request that begins a procedure: the master answers one that
// is sent again with the procedure it has begun already.
type Nonce struct{ Group, Value uint64 }

// append puts the group into field num and the value into the one after it.
func (n Nonce) append(b []byte, num number) []byte {
	b = appendUint(b, num, n.Group)
	return appendUint(b, num+1, n.Value)
}

// AppendTable appends the parameter of the master's methods that ask about a
// table: GetTableState, GetTableDescriptors.
func AppendTable(b []byte, table string) []byte {
	b, param := beginPrefixed(b)
	return end(appendTable(b, 1, table), param)
}

// AppendTableProcedure appends the parameter of the methods that do something
// to a table: DisableTable, EnableTable, DeleteTable.
func AppendTableProcedure(b []byte, table string, nonce Nonce) []byte {
	b, param := beginPrefixed(b)
	b = appendTable(b, 1, table)
	return end(nonce.append(b, 2), param)
}

// AppendTruncateTable appends the parameter of truncateTable.
func AppendTruncateTable(b []byte, table string, preserveSplits bool, nonce Nonce) []byte {
	b, param := beginPrefixed(b)
	b = appendTable(b, 1, table)
	b = appendBool(b, 2, preserveSplits)
	return end(nonce.append(b, 3), param)
}

// ParseUint reads an answer that is one number in field 1: a procedure's id of
// the methods that begin one.
func ParseUint(reply Reply) (uint64, error) {
	v := uint64(0)
	f := fieldsOf(reply.Message)
	for f.next() {
		if f.num == 1 {
			v = f.uint()
		}
	}
	return v, f.err
}

// ParseBools reads an answer that is one or more booleans in field 1: previous
// values of switches.
func ParseBools(reply Reply) ([]bool, error) {
	var values []bool
	r := repeatedOf(reply.Message, 1)
	for v, ok := r.next(); ok; v, ok = r.next() {
		values = append(values, v != 0)
	}
	return values, r.err()
}

// ParseTableStateReply reads the answer to GetTableState.
func ParseTableStateReply(reply Reply) (TableState, error) {
	state := TableEnabled
	f := fieldsOf(reply.Message)
	for f.next() {
		if f.num == 1 {
			f.nested(func(msg []byte) (err error) {
				state, err = ParseTableState(msg)
				return err
			})
		}
	}
	return state, f.err
}

// AppendSwitch appends a parameter of one boolean and whether to wait for what
// is under way: SetBalancerRunning.
func AppendSwitch(b []byte, on, synchronous bool) []byte {
	b, param := beginPrefixed(b)
	b = appendBool(b, 1, on)
	b = appendBool(b, 2, synchronous)
	return end(b, param)
}

// MasterSwitch is one of the switches that SetSplitOrMergeEnabled turns.
type MasterSwitch int

// The switches.
const (
	SplitSwitch MasterSwitch = iota
	MergeSwitch
)

// AppendSplitOrMerge appends the parameter of SetSplitOrMergeEnabled.
func AppendSplitOrMerge(b []byte, on bool, which MasterSwitch) []byte {
	b, param := beginPrefixed(b)
	b = appendBool(b, 1, on)
	b = appendBool(b, 2, true)
	b = appendUint(b, 3, uint64(which))
	return end(b, param)
}

// AppendProcedure appends the parameter of getProcedureResult.
func AppendProcedure(b []byte, id uint64) []byte {
	b, param := beginPrefixed(b)
	return end(appendUint(b, 1, id), param)
}

// ProcedureState tells how far a procedure is.
type ProcedureState int

// States of procedures.
const (
	ProcedureNotFound ProcedureState = iota
	ProcedureRunning
	ProcedureFinished
)

// Procedure is the answer to getProcedureResult.
type Procedure struct {
	State     ProcedureState
	Exception *Exception // why a finished procedure failed
}

// ParseProcedure reads the answer to getProcedureResult.
func ParseProcedure(reply Reply) (Procedure, error) {
	var p Procedure
	f := fieldsOf(reply.Message)
	for f.next() {
		switch f.num {
		case 1:
			p.State = ProcedureState(f.int())
		case 5:
			e, err := parseForeignException(f.bytes())
			if err != nil {
				return p, err
			}
			p.Exception = e
		}
	}
	return p, f.err
}

func parseForeignException(msg []byte) (*Exception, error) {
	e := &Exception{DoNotRetry: true}
	f := fieldsOf(msg)
	for f.next() {
		if f.num != 2 {
			continue
		}
		generic := fieldsOf(f.bytes())
		for generic.next() {
			switch generic.num {
			case 1:
				e.Class = generic.string()
			case 2:
				e.Stack = e.Class + ": " + generic.string()
			}
		}
		if generic.err != nil {
			return nil, generic.err
		}
	}
	return e, f.err
}

// The one region whose encoded name is not in its full name.
const (
	metaRegion        = "hbase:meta,,1"
	metaRegionEncoded = "1588230740"
)

// encodedName cuts the 32 hex digits out of a full region name.
func encodedName(region []byte) string {
	if string(region) == metaRegion {
		return metaRegionEncoded
	}
	name := strings.TrimSuffix(string(region), ".")
	return name[strings.LastIndexByte(name, '.')+1:]
}

func appendEncodedRegion(b []byte, num number, region []byte) []byte {
	b, mark := begin(b, num)
	b = appendUint(b, 1, 2)
	b = appendString(b, 2, encodedName(region))
	return end(b, mark)
}

// AppendMoveRegion appends the parameter of MoveRegion; without a destination
// the master chooses one.
func AppendMoveRegion(b, region []byte, to *ServerName) []byte {
	b, param := beginPrefixed(b)
	b = appendEncodedRegion(b, 1, region)
	if to != nil {
		var mark int
		b, mark = begin(b, 2)
		b = end(appendServerName(b, *to), mark)
	}
	return end(b, param)
}

// AppendSplitRegion appends the parameter of SplitRegion.
func AppendSplitRegion(b []byte, region *RegionInfo, at []byte, nonce Nonce) []byte {
	b, param := beginPrefixed(b)
	b, mark := begin(b, 1)
	b = end(region.append(b), mark)
	if len(at) > 0 {
		b = appendBytes(b, 2, at)
	}
	return end(nonce.append(b, 3), param)
}

// AppendMergeRegions appends the parameter of MergeTableRegions.
func AppendMergeRegions(b []byte, regions [][]byte, nonce Nonce) []byte {
	b, param := beginPrefixed(b)
	for _, region := range regions {
		b = appendEncodedRegion(b, 1, region)
	}
	return end(nonce.append(b, 3), param)
}
