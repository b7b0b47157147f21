package lint

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// docs/rules.md is what the rules say of themselves.
func TestRulesAreDocumented(t *testing.T) {
	var b bytes.Buffer
	if err := Markdown(&b); err != nil {
		t.Fatal(err)
	}
	const path = "../../docs/rules.md"
	if *update {
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("docs/rules.md is not what the rules say; run this test with -update:\n%s", diff)
	}
}

func TestRulesAreComplete(t *testing.T) {
	for _, rule := range append(Rules(), loadRules()...) {
		if rule.Code == "" || strings.Trim(rule.Code, "abcdefghijklmnopqrstuvwxyz-") != "" {
			t.Errorf("code %q", rule.Code)
		}
		if rule.Severity.rank() < 0 || rule.Title == "" || !strings.HasSuffix(rule.Doc, ".") || strings.HasSuffix(rule.Title, ".") {
			t.Errorf("%s: severity, title or text is missing", rule.Code)
		}
		if found, ok := FindRule(rule.Code); !ok || found.Title != rule.Title {
			t.Errorf("%s is not found", rule.Code)
		}
	}
}
