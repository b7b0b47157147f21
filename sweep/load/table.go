package load

import (
	"context"
	"errors"
	"fmt"
	"strconv"
)

// Attributes of a table that hbtune made. The marker is what allows writing and
// dropping it; the others tell what it holds.
const (
	attrMarker     = "HBTUNE"
	attrRows       = "HBTUNE_ROWS"
	attrValueBytes = "HBTUNE_VALUE_BYTES"
	attrRegions    = "HBTUNE_REGIONS"
	attrSeed       = "HBTUNE_SEED"

	// markerValue is the version of the layout of keys and values.
	markerValue = "1"
)

// Shape tells what a table of hbtune's holds.
type Shape struct {
	Rows       int64
	ValueBytes int
	Regions    int    // initial ones, which decide the keys
	Seed       uint64 // decides the values
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
	return errors.Join(faults...)
}

func (s Shape) keys() Keys     { return NewKeys(s.Regions) }
func (s Shape) values() Values { return NewValues(s.Seed, s.ValueBytes) }

func (s Shape) attributes() map[string]string {
	return map[string]string{
		attrMarker:     markerValue,
		attrRows:       strconv.FormatInt(s.Rows, 10),
		attrValueBytes: strconv.Itoa(s.ValueBytes),
		attrRegions:    strconv.Itoa(s.Regions),
		attrSeed:       strconv.FormatUint(s.Seed, 10),
	}
}

// shapeOf reads the attributes back. A table whose layout is of another version
// is still hbtune's own, but its shape is unknown.
func shapeOf(attributes map[string]string) (shape Shape, known bool) {
	if attributes[attrMarker] != markerValue {
		return Shape{}, false
	}
	var errs [4]error
	shape.Rows, errs[0] = strconv.ParseInt(attributes[attrRows], 10, 64)
	shape.ValueBytes, errs[1] = strconv.Atoi(attributes[attrValueBytes])
	shape.Regions, errs[2] = strconv.Atoi(attributes[attrRegions])
	shape.Seed, errs[3] = strconv.ParseUint(attributes[attrSeed], 10, 64)
	if errors.Join(errs[:]...) != nil || shape.Validate() != nil {
		return Shape{}, false
	}
	return shape, true
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
func loadedShape(ctx context.Context, c Cluster, table string, rows int64, valueBytes int) (Shape, error) {
	shape, known, exists, err := own(ctx, c, table)
	switch {
	case err != nil:
		return Shape{}, err
	case !exists:
		return Shape{}, &NotLoadedError{table, "does not exist: load it first"}
	case !known:
		return Shape{}, &NotLoadedError{table, "was made by another version of hbtune: load it again"}
	case shape.Rows != rows || shape.ValueBytes != valueBytes:
		return Shape{}, &NotLoadedError{table, fmt.Sprintf("holds %d rows of %d bytes, not %d of %d: load it again", shape.Rows, shape.ValueBytes, rows, valueBytes)}
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
