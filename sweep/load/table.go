package load

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"hbtune/sweep/trial"
)

// Attributes of a table that hbtune made. The marker is what allows writing and
// dropping it; the others tell what it holds.
const (
	attrMarker     = "HBTUNE"
	attrRows       = "HBTUNE_ROWS"
	attrValueBytes = "HBTUNE_VALUE_BYTES"
	attrRegions    = "HBTUNE_REGIONS"
	attrSeed       = "HBTUNE_SEED"
	// These are left out where they say what is usual.
	attrColumns = "HBTUNE_COLUMNS"
	attrHashed  = "HBTUNE_HASHED"
	attrLengths = "HBTUNE_VALUE_LENGTHS"
	attrLeast   = "HBTUNE_MIN_VALUE_BYTES"

	// markerValue is the version of the layout of keys and values.
	markerValue = "1"
)

// Shape tells what a table of hbtune's holds.
type Shape struct {
	Rows       int64
	ValueBytes int    // of each column
	Regions    int    // initial ones, which decide the keys
	Seed       uint64 // decides the values

	Columns int  // of a row; 0 means 1
	Hashed  bool // keys are strewn by a hash
	// Lengths and MinValueBytes are those of trial.Workload.
	Lengths       string
	MinValueBytes int
}

// ShapeOf is the shape of the table that a workload reads or writes.
func ShapeOf(w trial.Workload, regions int, seed uint64) Shape {
	return Shape{
		Rows: w.Rows, ValueBytes: w.ValueBytes, Regions: regions, Seed: seed,
		Columns: w.Columns, Hashed: w.Hashed, Lengths: w.Lengths, MinValueBytes: w.MinValueBytes,
	}.normal()
}

// normal is the shape written in one way only.
func (s Shape) normal() Shape {
	s.Columns = max(s.Columns, 1)
	if s.Lengths == trial.Constant || s.Lengths == "" {
		s.Lengths, s.MinValueBytes = "", 0
	} else {
		s.MinValueBytes = max(s.MinValueBytes, 1)
	}
	return s
}

// holds tells whether rows of this shape are those that another one asks for,
// however many and wherever they lie.
func (s Shape) holds(want Shape) bool {
	s, want = s.normal(), want.normal()
	s.Rows, s.Regions, s.Seed = want.Rows, want.Regions, want.Seed
	return s == want
}

// rowBytes is about what a row takes up in the block cache.
func (s Shape) rowBytes() float64 { return float64(max(s.Columns, 1) * (s.ValueBytes + cellOverhead)) }

// String tells what is in a row.
func (s Shape) String() string {
	s = s.normal()
	text := fmt.Sprintf("%d rows of ", s.Rows)
	if s.Columns > 1 {
		text += fmt.Sprintf("%d × ", s.Columns)
	}
	if s.Lengths != "" {
		text += fmt.Sprintf("%d to ", s.MinValueBytes)
	}
	text += fmt.Sprintf("%d bytes", s.ValueBytes)
	if s.Lengths != "" {
		text += " (" + s.Lengths + ")"
	}
	if s.Hashed {
		text += " under hashed keys"
	}
	return text
}

// Validate lists every fault of the shape.
func (s Shape) Validate() error {
	var faults []error
	if s.Rows <= 0 || s.Rows > maxRows {
		faults = append(faults, fmt.Errorf("rows: %d is outside 1…%d", s.Rows, maxRows))
	}
	if s.ValueBytes <= 0 || s.ValueBytes > maxValueBytes {
		faults = append(faults, fmt.Errorf("value bytes: %d is outside 1…%d", s.ValueBytes, maxValueBytes))
	}
	if s.Regions <= 0 || s.Regions > maxRegions {
		faults = append(faults, fmt.Errorf("regions: %d is outside 1…%d", s.Regions, maxRegions))
	}
	if s.Columns < 0 || s.Columns > maxColumns {
		faults = append(faults, fmt.Errorf("columns: %d is outside 1…%d", s.Columns, maxColumns))
	} else if bytes := max(s.Columns, 1) * s.ValueBytes; bytes > maxRowBytes {
		faults = append(faults, fmt.Errorf("a row of %d columns of %d bytes is longer than %d bytes", s.Columns, s.ValueBytes, maxRowBytes))
	}
	switch s.Lengths {
	case "", trial.Constant, trial.Uniform, trial.Zipfian:
	default:
		faults = append(faults, fmt.Errorf("value lengths: %q is neither constant, uniform nor zipfian", s.Lengths))
	}
	if s.MinValueBytes < 0 || s.MinValueBytes > s.ValueBytes {
		faults = append(faults, fmt.Errorf("least value bytes: %d is outside 1…%d", s.MinValueBytes, s.ValueBytes))
	}
	return errors.Join(faults...)
}

const (
	maxColumns  = 10_000
	maxRowBytes = 64 << 20
)

func (s Shape) keys() Keys {
	if s.Hashed {
		return NewHashedKeys(s.Regions)
	}
	return NewKeys(s.Regions)
}

func (s Shape) values() *Values {
	v := NewValues(s.Seed, s.ValueBytes).varying(s.MinValueBytes, s.Lengths)
	return &v
}

func (s Shape) attributes() map[string]string {
	s = s.normal()
	attributes := map[string]string{
		attrMarker:     markerValue,
		attrRows:       strconv.FormatInt(s.Rows, 10),
		attrValueBytes: strconv.Itoa(s.ValueBytes),
		attrRegions:    strconv.Itoa(s.Regions),
		attrSeed:       strconv.FormatUint(s.Seed, 10),
	}
	if s.Columns > 1 {
		attributes[attrColumns] = strconv.Itoa(s.Columns)
	}
	if s.Hashed {
		attributes[attrHashed] = "true"
	}
	if s.Lengths != "" {
		attributes[attrLengths], attributes[attrLeast] = s.Lengths, strconv.Itoa(s.MinValueBytes)
	}
	return attributes
}

// shapeOf reads the attributes back. A table whose layout is of another version
// is still hbtune's own, but its shape is unknown.
func shapeOf(attributes map[string]string) (shape Shape, known bool) {
	if attributes[attrMarker] != markerValue {
		return Shape{}, false
	}
	var errs [6]error
	shape.Rows, errs[0] = strconv.ParseInt(attributes[attrRows], 10, 64)
	shape.ValueBytes, errs[1] = strconv.Atoi(attributes[attrValueBytes])
	shape.Regions, errs[2] = strconv.Atoi(attributes[attrRegions])
	shape.Seed, errs[3] = strconv.ParseUint(attributes[attrSeed], 10, 64)
	if text, ok := attributes[attrColumns]; ok {
		shape.Columns, errs[4] = strconv.Atoi(text)
	}
	if text, ok := attributes[attrLengths]; ok {
		shape.Lengths = text
		shape.MinValueBytes, errs[5] = strconv.Atoi(attributes[attrLeast])
	}
	shape.Hashed = attributes[attrHashed] == "true"
	if errors.Join(errs[:]...) != nil || shape.Validate() != nil {
		return Shape{}, false
	}
	return shape.normal(), true
}

// ForeignTableError refuses a table that hbtune did not make.
type ForeignTableError struct{ Table string }

func (e *ForeignTableError) Error() string {
	return fmt.Sprintf("table %s exists and was not made by hbtune (it lacks the attribute %s): it is left untouched; name another table", e.Table, attrMarker)
}

// NotLoadedError says that a table is missing or doesn't hold what is wanted.
type NotLoadedError struct {
	Table string
	Why   string
}

func (e *NotLoadedError) Error() string { return fmt.Sprintf("table %s %s", e.Table, e.Why) }

// own tells whether the table exists, and what it holds if that is known. A
// table without the marker is an error.
func own(ctx context.Context, c Cluster, table string) (shape Shape, known, exists bool, err error) {
	attributes, exists, err := c.Describe(ctx, table)
	if err != nil {
		return Shape{}, false, false, fmt.Errorf("describe table %s: %w", table, err)
	}
	if !exists {
		return Shape{}, false, false, nil
	}
	if attributes[attrMarker] == "" {
		return Shape{}, false, true, &ForeignTableError{Table: table}
	}
	shape, known = shapeOf(attributes)
	return shape, known, true, nil
}

// loadedShape is the shape of a table that must be there and hold the rows.
func loadedShape(ctx context.Context, c Cluster, table string, want Shape) (Shape, error) {
	shape, known, exists, err := own(ctx, c, table)
	switch {
	case err != nil:
		return Shape{}, err
	case !exists:
		return Shape{}, &NotLoadedError{table, "does not exist: load it first"}
	case !known:
		return Shape{}, &NotLoadedError{table, "was made by another version of hbtune: load it again"}
	case shape.Rows != want.Rows || !shape.holds(want):
		return Shape{}, &NotLoadedError{table, fmt.Sprintf("holds %v, not %v: load it again", shape, want)}
	}
	return shape, nil
}

// ResetWriteTable makes the table that takes puts afresh, empty and with its
// initial regions, so that no session inherits store files or splits of the one
// before it.
func ResetWriteTable(ctx context.Context, c Cluster, table string, shape Shape) error {
	if err := shape.Validate(); err != nil {
		return fmt.Errorf("write table %s: %w", table, err)
	}
	_, _, exists, err := own(ctx, c, table)
	if err != nil {
		return err
	}
	return remake(ctx, c, table, shape, exists)
}

// remake drops a table that is known to be hbtune's own and makes it empty.
func remake(ctx context.Context, c Cluster, table string, shape Shape, exists bool) error {
	if exists {
		if err := c.Drop(ctx, table); err != nil {
			return fmt.Errorf("drop table %s: %w", table, err)
		}
	}
	if err := c.Create(ctx, table, shape.attributes(), shape.keys().Splits()); err != nil {
		return fmt.Errorf("create table %s with %d regions: %w", table, shape.Regions, err)
	}
	return nil
}
