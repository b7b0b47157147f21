package wire

// CompactionState tells what compactions run on a region.
type CompactionState int

// Compaction states.
const (
	CompactionNone CompactionState = iota
	CompactionMinor
	CompactionMajor
	CompactionMajorAndMinor
)

// AppendRegionInfoRequest appends the parameter of GetRegionInfo, asking for
// the compaction state. (Asking for the best split row would flush.)
func AppendRegionInfoRequest(b, region []byte) []byte {
	b, param := beginPrefixed(b)
	b = appendRegion(b, 1, region)
	b = appendBool(b, 2, true)
	return end(b, param)
}

// ParseCompactionState reads the compaction state out of the answer to
// GetRegionInfo.
func ParseCompactionState(reply Reply) (CompactionState, error) {
	state := CompactionNone
	f := fieldsOf(reply.Message)
	for f.next() {
		if f.num == 2 {
			state = CompactionState(f.int())
		}
	}
	return state, f.err
}

// AppendFlushRegion appends the parameter of FlushRegion.
func AppendFlushRegion(b, region []byte) []byte {
	b, param := beginPrefixed(b)
	return end(appendRegion(b, 1, region), param)
}

// ParseFlushRegion reads the answer to FlushRegion: whether anything was
// there to flush.
func ParseFlushRegion(reply Reply) (flushed bool, err error) {
	f := fieldsOf(reply.Message)
	for f.next() {
		if f.num == 2 {
			flushed = f.bool()
		}
	}
	return flushed, f.err
}

// AppendCompactRegion appends the parameter of CompactRegion.
func AppendCompactRegion(b, region []byte, major bool) []byte {
	b, param := beginPrefixed(b)
	b = appendRegion(b, 1, region)
	b = appendBool(b, 2, major)
	return end(b, param)
}

// AppendClearBlockCache appends the parameter of ClearRegionBlockCache.
func AppendClearBlockCache(b []byte, regions [][]byte) []byte {
	b, param := beginPrefixed(b)
	for _, region := range regions {
		b = appendRegion(b, 1, region)
	}
	return end(b, param)
}

// Eviction is the answer to ClearRegionBlockCache.
type Eviction struct {
	Blocks int64
	// Exceptions name the regions that failed.
	Exceptions []string
}

// ParseClearBlockCache reads the answer to ClearRegionBlockCache.
func ParseClearBlockCache(reply Reply) (Eviction, error) {
	var e Eviction
	f := fieldsOf(reply.Message)
	for f.next() {
		if f.num == 1 {
			f.nested(e.parse)
		}
	}
	return e, f.err
}

func (e *Eviction) parse(msg []byte) error {
	f := fieldsOf(msg)
	for f.next() {
		switch f.num {
		case 1:
			e.Blocks = int64(f.uint())
		case 4: // RegionExceptionMessage{1 region, 2 exception}
			exception := fieldsOf(f.bytes())
			for exception.next() {
				if exception.num == 2 {
					class, stack, err := parseNamedException(exception.bytes())
					if err != nil {
						return err
					}
					e.Exceptions = append(e.Exceptions, class+": "+stack)
				}
			}
			if exception.err != nil {
				return exception.err
			}
		}
	}
	return f.err
}
