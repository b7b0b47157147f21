package sweep

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"hbtune/hbaseconf"
	"hbtune/sweep/trial"
)

// Session is one start of the server with one variant, and the trials that
// are measured on it, in order. It is the unit of replication.
type Session struct {
	ID      string
	Phase   trial.Phase
	Block   int
	Order   int
	Variant trial.Variant
	Trials  []trial.Trial
}

// variants lists the candidates: one property moved at a time, every value
// but the baseline's.
func variants(s trial.Sweep) []candidate {
	var list []candidate
	for _, p := range s.Parameters {
		first := len(list)
		for _, value := range p.Values {
			if now, ok := s.Baseline.Get(p.Property); ok && sameValue(now, value) {
				continue
			}
			settings := hbaseconf.NewSettings(hbaseconf.Setting{Name: p.Property, Value: value})
			if p.Complement != "" {
				settings = settings.With(hbaseconf.Setting{Name: p.Complement, Value: complementOf(p, value)})
			}
			list = append(list, candidate{level: len(list) - first, Variant: trial.Variant{
				ID:       fmt.Sprintf("v%02d", len(list)+1),
				Factor:   p.Property,
				Settings: settings,
			}})
		}
		for i := first; i < len(list); i++ {
			list[i].levels = len(list) - first
		}
	}
	return list
}

// candidate is a variant with its place among its parameter's levels.
type candidate struct {
	trial.Variant
	level, levels int
}

// turn says whether it is the candidate's turn in a block, of that many, when
// levels alternate: a block holds one level of each parameter, or more where
// there are more levels than blocks.
func (c candidate) turn(blocks, block int) bool {
	period := min(c.levels, blocks)
	return c.level%period == (block-1)%period
}

// sameValue compares as numbers where both are, so that 0.40 is 0.4.
func sameValue(a, b hbaseconf.Value) bool {
	x, okX := a.Number()
	y, okY := b.Number()
	if okX && okY {
		return x == y
	}
	return a == b
}

// plan lays out the exploration: randomized blocks, each with its candidates
// once, in random order, and the baseline as sentinel. A lone sentinel takes
// its chance with the others; of several, one opens the block and one closes
// it, so that drift in between shows. The same sweep gives the same plan, which
// is how a resumed sweep knows what is left.
func plan(s trial.Sweep, design DesignSpec) []Session {
	baseline := trial.Variant{ID: trial.BaselineID}
	candidates := variants(s)
	var sessions []Session
	for block := 1; block <= s.Blocks; block++ {
		members := make([]trial.Variant, 0, len(candidates)+design.Sentinels)
		for _, v := range candidates {
			if design.Levels == AllLevels || v.turn(s.Blocks, block) {
				members = append(members, v.Variant)
			}
		}
		inside := design.Sentinels
		if inside > 1 {
			inside -= 2
		}
		for range inside {
			members = append(members, baseline)
		}
		random := rand.New(rand.NewPCG(s.Seed, uint64(block)))
		random.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
		if design.Sentinels > 1 {
			members = append(append([]trial.Variant{baseline}, members...), baseline)
		}
		for i, v := range members {
			sessions = append(sessions, session(s, trial.Explore, block, i+1, len(sessions)+1, v))
		}
	}
	return sessions
}

// comparesNothing reports a plan in which all variants are the baseline.
func comparesNothing(explore []Session) bool {
	return !slices.ContainsFunc(explore, func(s Session) bool { return s.Variant.ID != trial.BaselineID })
}

// confirmation pairs winner and baseline on fresh restarts, in alternating
// order; each pair is a block of its own. before is the number of sessions
// planned before it.
func confirmation(s trial.Sweep, winner trial.Variant, before int) []Session {
	winner.ID = WinnerID
	var sessions []Session
	for pair := 1; pair <= s.Confirm; pair++ {
		two := []trial.Variant{{ID: trial.BaselineID}, winner}
		if pair%2 == 0 {
			two[0], two[1] = two[1], two[0]
		}
		for i, v := range two {
			sessions = append(sessions, session(s, trial.Confirm, s.Blocks+pair, i+1, before+len(sessions)+1, v))
		}
	}
	return sessions
}

// WinnerID is the variant that the confirmation measures against the baseline.
const WinnerID = "winner"

func session(s trial.Sweep, phase trial.Phase, block, place, order int, v trial.Variant) Session {
	one := Session{
		ID: fmt.Sprintf("b%ds%02d", block, place), Phase: phase, Block: block, Order: order, Variant: v,
	}
	for i, w := range s.Workloads {
		id := one.ID + "-" + w.Name
		if w.HitTarget > 0 {
			id += fmt.Sprintf("-h%.2g", w.HitTarget)
		}
		one.Trials = append(one.Trials, trial.Trial{
			ID: id, Session: one.ID, Phase: phase, Block: block, Order: order,
			// All variants of a block draw the same keys: what differs between them
			// is then the variant and not the luck of the draw.
			Seed:    s.Seed<<20 ^ uint64(block)<<8 ^ uint64(i),
			Variant: v, Workload: w,
		})
	}
	return one
}
