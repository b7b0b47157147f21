package wire

// Multi builds the parameter of method Multi, actions grouped by region, and
// the cells of its mutations:
//
//	m.Begin(param, cells)
//	m.Region(name); m.Get(0, get); m.Mutate(1, mutation)
//	m.Region(other); …
//	param, cells = m.End()
type Multi struct {
	b      []byte
	cells  []byte
	param  int
	region int // mark of the open region action; 0: none
}

// Begin starts a request whose parts are appended to b and cells.
func (m *Multi) Begin(b, cells []byte) {
	b, param := beginPrefixed(b)
	*m = Multi{b: b, cells: cells, param: param}
}

// Region begins the actions on a region.
func (m *Multi) Region(name []byte) {
	m.endRegion()
	m.b, m.region = begin(m.b, 1)
	m.b = appendRegion(m.b, 1, name)
}

func (m *Multi) endRegion() {
	if m.region != 0 {
		m.b = end(m.b, m.region)
	}
}

// Get adds a get; index comes back with its result.
func (m *Multi) Get(index int, get *Get) {
	b, action := begin(m.b, 3)
	b = appendUint(b, 1, uint64(index))
	b, mark := begin(b, 3)
	b = end(get.append(b), mark)
	m.b = end(b, action)
}

// Mutate adds a mutation; index comes back with its result.
func (m *Multi) Mutate(index int, mutation *Mutation) {
	b, action := begin(m.b, 3)
	b = appendUint(b, 1, uint64(index))
	b, mark := begin(b, 2)
	b = end(mutation.append(b), mark)
	m.b = end(b, action)
	m.cells = mutation.appendCells(m.cells)
}

// Size is the number of bytes so far.
func (m *Multi) Size() int { return len(m.b) + len(m.cells) }

// End returns the parameter and the cells.
func (m *Multi) End() (b, cells []byte) {
	m.endRegion()
	return end(m.b, m.param), m.cells
}

// MultiReply receives the answer to Multi, in the order the server gives it.
type MultiReply interface {
	// RegionFailed reports that all actions on a region failed; region counts
	// the regions of the request from 0.
	RegionFailed(region int, class, stack string)
	// Failed reports that one action failed.
	Failed(region, index int, class, stack string)
	// Result returns where the result of an action is to be put; nil discards
	// it.
	Result(region, index int) *Result
}

// ParseMulti reads the answer to Multi. The cells of all results are one
// stream, taken in the order in which the results stand in the message.
func ParseMulti(reply Reply, to MultiReply) error {
	block := NewCellBlock(reply.Cells)
	region := 0
	f := fieldsOf(reply.Message)
	for f.next() {
		if f.num == 1 {
			if err := parseRegionActionResult(f.bytes(), region, &block, to); err != nil {
				return err
			}
			region++
		}
	}
	return f.err
}

func parseRegionActionResult(msg []byte, region int, block *CellBlock, to MultiReply) error {
	f := fieldsOf(msg)
	for f.next() {
		switch f.num {
		case 1:
			if err := parseResultOrException(f.bytes(), region, block, to); err != nil {
				return err
			}
		case 2:
			class, stack, err := parseNamedException(f.bytes())
			if err != nil {
				return err
			}
			to.RegionFailed(region, class, stack)
		}
	}
	return f.err
}

func parseResultOrException(msg []byte, region int, block *CellBlock, to MultiReply) error {
	index := 0
	var result, exception []byte
	failed := false
	f := fieldsOf(msg)
	for f.next() {
		switch f.num {
		case 1:
			index = int(uint32(f.uint()))
		case 2:
			result = f.bytes()
		case 3:
			exception, failed = f.bytes(), true
		}
	}
	if f.err != nil {
		return f.err
	}
	if failed {
		class, stack, err := parseNamedException(exception)
		if err != nil {
			return err
		}
		to.Failed(region, index, class, stack)
		return nil
	}
	into := to.Result(region, index)
	if into == nil {
		into = new(Result)
	}
	return into.parse(result, block)
}

// parseNamedException reads a NameBytesPair that stands for an exception.
func parseNamedException(msg []byte) (class, stack string, err error) {
	f := fieldsOf(msg)
	for f.next() {
		switch f.num {
		case 1:
			class = f.string()
		case 2:
			stack = f.string()
		}
	}
	return class, stack, f.err
}
