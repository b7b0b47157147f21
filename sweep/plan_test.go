package sweep

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"hbtune/hbaseconf"
	"hbtune/sweep/trial"
)

const (
	handlers = "hbase.regionserver.handler.count"
	cache    = "hfile.block.cache.size"
	memstore = "hbase.regionserver.global.memstore.size"
)

var (
	complete  = DesignSpec{Levels: AllLevels, Sentinels: 1}
	alternate = DesignSpec{Levels: AlternateLevels, Sentinels: 1}
)

func testSweep(blocks int) trial.Sweep {
	return trial.Sweep{
		ID: "s", Blocks: blocks, Confirm: 4, Seed: 3,
		Baseline: hbaseconf.FromMap(map[string]string{handlers: "30", cache: "0.4"}),
		Parameters: []trial.Parameter{
			{Property: handlers, Values: []hbaseconf.Value{"10", "30", "100"}},
			{Property: cache, Values: []hbaseconf.Value{"0.2", "0.40", "0.6"}, Complement: memstore, ComplementTotal: 0.8},
		},
		Workloads: []trial.Workload{{Name: "mixed", HitTarget: 0.9}, {Name: "mixed", HitTarget: 0.3}},
	}
}

func TestVariantsMoveOnePropertyAndItsComplement(t *testing.T) {
	got := variants(testSweep(1))
	want := []string{
		handlers + "=10",
		handlers + "=100",
		memstore + "=0.6, " + cache + "=0.2",
		memstore + "=0.2, " + cache + "=0.6",
	}
	if len(got) != len(want) {
		t.Fatalf("%d variants, want %d", len(got), len(want))
	}
	for i, v := range got {
		if v.Settings.String() != want[i] {
			t.Errorf("variant %s: %s, want %s", v.ID, v.Settings, want[i])
		}
	}
}

func TestPlanIsRandomizedCompleteBlocks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := testSweep(rapid.IntRange(1, 6).Draw(t, "blocks"))
		s.Seed = rapid.Uint64().Draw(t, "seed")
		sessions := plan(s, complete)
		perBlock := len(variants(s)) + 1
		if len(sessions) != s.Blocks*perBlock {
			t.Fatalf("%d sessions, want %d", len(sessions), s.Blocks*perBlock)
		}
		ids := map[string]bool{}
		for b := range s.Blocks {
			seen := map[string]bool{}
			for _, one := range sessions[b*perBlock : (b+1)*perBlock] {
				if one.Block != b+1 {
					t.Fatalf("session %s is in block %d, want %d", one.ID, one.Block, b+1)
				}
				seen[one.Variant.ID] = true
				for _, trial := range one.Trials {
					if ids[trial.ID] {
						t.Fatalf("trial %s twice", trial.ID)
					}
					ids[trial.ID] = true
				}
			}
			if len(seen) != perBlock || !seen[trial.BaselineID] {
				t.Fatalf("block %d holds %v", b+1, seen)
			}
		}
		if fmt.Sprint(sessions) != fmt.Sprint(plan(s, complete)) {
			t.Fatal("the same sweep gave two plans")
		}
	})
}

func TestAlternateLevelsDealsEveryCandidateOnce(t *testing.T) {
	s := testSweep(2)
	count := map[string]int{}
	for _, one := range plan(s, alternate) {
		count[one.Variant.ID]++
	}
	if count[trial.BaselineID] != 2 {
		t.Errorf("%d sentinels, want one a block", count[trial.BaselineID])
	}
	for _, v := range variants(s) {
		if count[v.ID] != 1 {
			t.Errorf("%s stands %d times", v.ID, count[v.ID])
		}
	}
}

func TestSeveralSentinelsEncloseTheBlock(t *testing.T) {
	s := testSweep(2)
	sessions := plan(s, DesignSpec{Levels: AllLevels, Sentinels: 3})
	perBlock := len(variants(s)) + 3
	for b := range s.Blocks {
		block := sessions[b*perBlock : (b+1)*perBlock]
		inside := 0
		for _, one := range block[1 : perBlock-1] {
			if one.Variant.IsBaseline() {
				inside++
			}
		}
		if !block[0].Variant.IsBaseline() || !block[perBlock-1].Variant.IsBaseline() || inside != 1 {
			t.Errorf("block %d: sentinels do not enclose it, %d inside", b+1, inside)
		}
	}
}

func TestAlternateLevelsRepeatsALoneLevel(t *testing.T) {
	s := testSweep(2)
	s.Parameters[0].Values = []hbaseconf.Value{"30", "100"}
	count := map[string]int{}
	for _, one := range plan(s, alternate) {
		count[one.Variant.Settings.String()]++
	}
	if count[handlers+"=100"] != 2 || len(count) != 4 {
		t.Errorf("restarts by settings: %v", count)
	}
}

func TestVariantsOfABlockDrawTheSameKeys(t *testing.T) {
	seeds := map[string]uint64{}
	for _, one := range plan(testSweep(2), complete) {
		for i, tr := range one.Trials {
			key := fmt.Sprint(one.Block, i)
			if seed, ok := seeds[key]; ok && seed != tr.Seed {
				t.Fatalf("block %d, trial %d: seeds differ", one.Block, i)
			}
			seeds[key] = tr.Seed
		}
	}
	if len(seeds) != 4 {
		t.Errorf("%d seeds, want 4", len(seeds))
	}
}

func TestConfirmationAlternates(t *testing.T) {
	sessions := confirmation(testSweep(2), trial.Variant{ID: "v02"}, 10)
	var order string
	for _, s := range sessions {
		order += s.Variant.ID[:1]
	}
	if order != "bwwbbwwb" {
		t.Errorf("order %s", order)
	}
	if sessions[0].Order != 11 || sessions[0].Block != 3 {
		t.Errorf("first: order %d, block %d", sessions[0].Order, sessions[0].Block)
	}
}
