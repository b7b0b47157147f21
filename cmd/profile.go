package cmd

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"hbtune/hbaseconf"
	"hbtune/profiles"
)

func newProfile(e *env) *cobra.Command {
	c := &cobra.Command{
		Use:   "profile",
		Short: "Recommended settings: show, compare, apply, verify, roll back",
		Long: `Works with profiles: settings together with the evidence for them. A profile
is named by its name (` + "`hbtune profile list`" + `), by its file, or by the folder of
the sweep that made it.

Exit status: 0 done, 1 it differs (diff, verify) or is refused, 2 bad input,
3 the target failed and is as it was, 4 interrupted and restored, 5 NOT
restored (says how).`,
	}
	c.AddCommand(
		newProfileList(e), newProfileShow(e), newProfileSave(e), newProfileDiff(e), newProfileExport(e),
		newProfileApply(e), newProfileVerify(e), newProfileRollback(e),
	)
	return c
}

// findProfile returns the profile that an argument means.
func (e *env) findProfile(ref string) (profiles.Profile, error) {
	p, err := profiles.Open(e.home, hbaseconf.Builtin()).Find(ref)
	return p, badInput(err)
}

func newProfileList(e *env) *cobra.Command {
	var applied bool
	c := &cobra.Command{
		Use:   "list",
		Short: "List the built-in and the saved profiles",
		Args:  cobra.NoArgs,
		RunE:  func(*cobra.Command, []string) error { return runProfileList(e, applied) },
	}
	c.Flags().BoolVar(&applied, "applied", false, "list what was applied to targets instead")
	return c
}

func runProfileList(e *env, applied bool) error {
	if applied {
		entries, err := profiles.OpenLedger(e.home).Entries()
		if err != nil {
			return badInput(err)
		}
		if e.json {
			return e.printJSON(map[string]any{"applied": entries})
		}
		return profiles.WriteEntries(e.Out, entries)
	}
	list, err := profiles.Open(e.home, hbaseconf.Builtin()).List()
	if err != nil {
		return badInput(err)
	}
	if e.json {
		return e.printJSON(map[string]any{"profiles": list})
	}
	return profiles.WriteList(e.Out, list)
}

func newProfileShow(e *env) *cobra.Command {
	return &cobra.Command{
		Use:   "show NAME|FILE|DIR",
		Short: "Show a profile and its evidence",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			p, err := e.findProfile(args[0])
			if err != nil {
				return err
			}
			if e.json {
				return e.printJSON(p)
			}
			return p.Write(e.Out)
		},
	}
}

type profileSaveOptions struct {
	name  string
	force bool
}

func newProfileSave(e *env) *cobra.Command {
	var o profileSaveOptions
	c := &cobra.Command{
		Use:   "save DIR|FILE",
		Short: "Keep the profile of a sweep under a name",
		Args:  cobra.ExactArgs(1),
		RunE:  func(_ *cobra.Command, args []string) error { return runProfileSave(e, o, args[0]) },
	}
	c.Flags().StringVar(&o.name, "name", "", "name to keep it under (default: the profile's own)")
	c.Flags().BoolVar(&o.force, "force", false, "replace a profile of that name")
	return c
}

func runProfileSave(e *env, o profileSaveOptions, ref string) error {
	p, err := e.findProfile(ref)
	if err != nil {
		return err
	}
	if o.name != "" {
		p.Name = o.name
	}
	path, err := profiles.Open(e.home, hbaseconf.Builtin()).Save(p, o.force)
	if err != nil {
		return badInput(err)
	}
	if e.json {
		return e.printJSON(map[string]string{"name": p.Name, "path": path})
	}
	_, err = fmt.Fprintf(e.Out, "kept profile %s in %s\n", p.Name, path)
	return err
}

type profileExportOptions struct {
	format string
	table  string
	output string
}

func newProfileExport(e *env) *cobra.Command {
	var o profileExportOptions
	c := &cobra.Command{
		Use:   "export NAME|FILE|DIR",
		Short: "Write a profile as hbase-site.xml, HBase shell statements or properties",
		Args:  cobra.ExactArgs(1),
		RunE:  func(_ *cobra.Command, args []string) error { return runProfileExport(e, o, args[0]) },
	}
	f := c.Flags()
	f.StringVar(&o.format, "format", string(profiles.FormatSite), "site, shell or properties")
	f.StringVar(&o.table, "table", "", "table that the shell statements alter")
	f.StringVarP(&o.output, "output", "o", "", "file to write (default: standard output)")
	return c
}

func runProfileExport(e *env, o profileExportOptions, ref string) error {
	p, err := e.findProfile(ref)
	if err != nil {
		return err
	}
	data, err := profiles.Export(p, profiles.Format(o.format), o.table, hbaseconf.Builtin())
	if err != nil {
		return badInput(err)
	}
	if o.output != "" {
		if err := writeNewFile(o.output, data); err != nil {
			return badInput(err)
		}
	}
	switch {
	case e.json:
		return e.printJSON(map[string]string{"format": o.format, "text": string(data)})
	case o.output == "":
		_, err = e.Out.Write(data)
	}
	return err
}

// writeNewFile writes a file that must not exist yet: what stands there may be
// the only copy of a person's configuration.
func writeNewFile(path string, data []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%s exists already: choose another file, or paste the output into it", path)
	}
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	_, err = file.Write(data)
	return errors.Join(err, file.Close())
}
