package cmd

import "github.com/spf13/cobra"

// commands lists hbtune's commands; each constructor lives in its own file.
func commands(e *env) []*cobra.Command {
	return []*cobra.Command{
		newSweep(e),
		newAnalyze(e),
		newReport(e),
		newLoad(e),
		newLint(e),
		newInspect(e),
		newLocal(e),
		newProfile(e),
		newParams(e),
	}
}
