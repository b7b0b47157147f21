package hbase

import (
	"bytes"
	"encoding/binary"

	"hbtune/sweep/hbase/wire"
)

// rows takes the results out of scan replies and puts rows together that were
// cut in pieces.
//
// A server marks a piece Partial when the row may go on in the next reply, but
// it may also have been the last piece: only a piece of another row, or the
// region's end, tells.
type rows struct {
	pieces bool // give the pieces as they come

	piece wire.Result
	held  bool   // piece has been read but not given: another row came before
	part  []byte // cells of a row not yet complete, as a cell block
	given []byte // the buffer that the last row put together lies in
}

// reset forgets what has been read of an incomplete row.
func (r *rows) reset() { r.held, r.part = false, r.part[:0] }

// next gives the next row of reply. Rows of incomplete replies are kept until
// the rest comes, or until last says that nothing more will.
func (r *rows) next(result *wire.Result, reply *wire.ScanReply, last bool) (bool, error) {
	for {
		if !r.held {
			got, err := reply.Next(&r.piece)
			if err != nil {
				return false, err
			}
			if !got {
				if last && len(r.part) > 0 {
					return true, r.complete(result)
				}
				return false, nil
			}
		}
		r.held = false
		switch {
		case len(r.part) > 0 && !r.continues():
			r.held = true
			return true, r.complete(result)
		case r.pieces, len(r.part) == 0 && !r.piece.Partial:
			*result, r.piece = r.piece, *result
			return true, nil
		}
		r.keep()
		if !r.piece.Partial {
			return true, r.complete(result)
		}
	}
}

// continues reports whether piece belongs to the row begun in part.
func (r *rows) continues() bool {
	block := wire.NewCellBlock(r.part)
	first, err := block.Next()
	return err == nil && len(r.piece.Cells) > 0 && bytes.Equal(first.Row(), r.piece.Cells[0].Row())
}

// keep copies piece, as the next reply overwrites it.
func (r *rows) keep() {
	for _, cell := range r.piece.Cells {
		r.part = binary.BigEndian.AppendUint32(r.part, uint32(len(cell)))
		r.part = append(r.part, cell...)
	}
}

// complete gives the row put together in part.
func (r *rows) complete(result *wire.Result) error {
	r.given, r.part = r.part, r.given[:0]
	result.Reset()
	block := wire.NewCellBlock(r.given)
	for block.Len() > 0 {
		cell, err := block.Next()
		if err != nil {
			return err
		}
		result.Cells = append(result.Cells, cell)
	}
	return nil
}
