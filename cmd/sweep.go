package cmd

import "github.com/spf13/cobra"

func newSweep(e *env) *cobra.Command {
	return &cobra.Command{Use: "sweep", Short: "Sweep parameters on a real HBase and recommend values"}
}
