package cmd

import (
	"cmp"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"hbtune/hbaseconf"
)

// paramsOptions say which properties are shown, and for which HBase.
type paramsOptions struct {
	version string
	scope   string
}

func newParams(e *env) *cobra.Command {
	var o paramsOptions
	c := &cobra.Command{
		Use:   "params [NAME|WORD…]",
		Short: "Browse the properties that hbtune knows",
		Long: `Shows the properties that hbtune knows: all of them, those that have all of the
words in their name or description, or one of them in full.

Exit status: 0 shown, 2 no such property, or bad usage.`,
		Example: `  hbtune params hbase.regionserver.handler.count
  hbtune params bucket cache
  hbtune params --scope client`,
		RunE: func(_ *cobra.Command, args []string) error { return runParams(e, o, args) },
	}
	c.Flags().StringVar(&o.version, "hbase-version", "", "show defaults of this version, and only what it reads (default: the newest 2.x)")
	c.Flags().StringVar(&o.scope, "scope", "", "only what these read: "+strings.Join(scopeNames(), ", "))
	return c
}

func runParams(e *env, o paramsOptions, args []string) error {
	catalogue := hbaseconf.Builtin()
	if o.version != "" {
		if err := checkVersion(e, o.version); err != nil {
			return badInput(err)
		}
	}
	if o.scope != "" && !hbaseconf.Scope(o.scope).Known() {
		return badInput(fmt.Errorf("--scope %s: give one of %s", o.scope, strings.Join(scopeNames(), ", ")))
	}
	if len(args) == 1 {
		if p, ok := catalogue.Lookup(args[0]); ok {
			if e.json {
				return e.printJSON(newParamsDocument(p, o.version))
			}
			return p.Describe(e.Out, o.version)
		}
	}
	found := o.filter(catalogue.Search(args...))
	if len(found) == 0 {
		if len(args) == 0 || len(catalogue.Search(args...)) > 0 {
			return badInput(fmt.Errorf("no such property is read by %s in HBase %s", cmp.Or(o.scope, "anybody"), cmp.Or(o.version, "2.x")))
		}
		return badInput(catalogue.Unknown(strings.Join(args, " ")))
	}
	if e.json {
		documents := make([]paramsDocument, len(found))
		for i, p := range found {
			documents[i] = newParamsDocument(p, o.version)
		}
		return e.printJSON(map[string]any{"properties": documents})
	}
	return o.list(e, found)
}

func (o paramsOptions) filter(all []hbaseconf.Property) []hbaseconf.Property {
	var kept []hbaseconf.Property
	for _, p := range all {
		if (o.scope == "" || p.In(hbaseconf.Scope(o.scope))) && (o.version == "" || p.ReadIn(o.version)) {
			kept = append(kept, p)
		}
	}
	return kept
}

func (o paramsOptions) list(e *env, found []hbaseconf.Property) error {
	w := tabwriter.NewWriter(e.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "PROPERTY\tDEFAULT\tUNIT\tREAD BY")
	for _, p := range found {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", p.Name, p.DefaultText(o.version), p.Unit, p.ScopeText())
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("write the list: %w", err)
	}
	_, err := fmt.Fprintf(e.Out, "\n%d of %d properties; `hbtune params NAME` tells all about one\n", len(found), len(hbaseconf.Builtin().All()))
	return err
}

func scopeNames() []string {
	var names []string
	for _, s := range hbaseconf.Scopes() {
		names = append(names, string(s))
	}
	return names
}

// paramsDocument is a property as --json prints it.
type paramsDocument struct {
	Name       string             `json:"name"`
	Scope      []hbaseconf.Scope  `json:"scope"`
	Kind       hbaseconf.Kind     `json:"kind"`
	Unit       string             `json:"unit,omitempty"`
	Default    hbaseconf.Value    `json:"default,omitempty"`
	Computed   string             `json:"default_computed,omitempty"`
	Range      *hbaseconf.Range   `json:"range,omitempty"`
	Scale      hbaseconf.Scale    `json:"scale"`
	Effect     []hbaseconf.Effect `json:"takes_effect"`
	Aliases    []hbaseconf.Alias  `json:"other_names,omitempty"`
	ReplacedBy string             `json:"replaced_by,omitempty"`
	Doc        string             `json:"doc"`
}

func newParamsDocument(p hbaseconf.Property, version string) paramsDocument {
	d := paramsDocument{
		Name: p.Name, Scope: p.Scope, Kind: p.Kind, Unit: p.Unit, Default: p.Default, Computed: p.Computed,
		Scale: p.Scale, Effect: p.Effect, Aliases: p.Aliases, ReplacedBy: p.ReplacedBy, Doc: p.Doc,
	}
	if version != "" {
		d.Default, _ = p.DefaultIn(version)
	}
	if p.Range.Bounded() || len(p.Range.Words) > 0 {
		d.Range = &p.Range
	}
	return d
}

// checkVersion refuses what is no version of HBase, and says whose defaults
// stand in for those of a version that is not known here.
func checkVersion(e *env, version string) error {
	if err := hbaseconf.CheckVersion(version); err != nil {
		return fmt.Errorf("--hbase-version: %w", err)
	}
	if line, belongs := hbaseconf.ReleaseLine(version); !belongs {
		fmt.Fprintf(e.Err, "The defaults of HBase %s are not known here; those of %s are used.\n", version, line)
	}
	return nil
}
