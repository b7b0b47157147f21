// hbtune tunes HBase: it measures what a parameter does on a real cluster,
// recommends values with an interval, and can put everything back.
package main

import (
	"os"

	"hbtune/cmd"
)

func main() {
	os.Exit(cmd.Main(os.Args[1:], cmd.Stdio{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
}
