package load

import (
	"embed"
	"encoding/csv"
	"fmt"
	"math"
	"strconv"
)

//go:embed published/*.csv
var publishedFiles embed.FS

// publishedFigures reads a published table, a map by column for each row.
func publishedFigures(name string) ([]map[string]string, error) {
	file, err := publishedFiles.Open("published/" + name + ".csv")
	if err != nil {
		return nil, err
	}
	defer file.Close()
	records, err := csv.NewReader(file).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("published figures of %s: %w", name, err)
	}
	var rows []map[string]string
	for _, record := range records[1:] {
		row := map[string]string{}
		for i, column := range records[0] {
			row[column] = record[i]
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// figure is a number of a row; one that is missing is none.
func figure(row map[string]string, column string) float64 {
	x, err := strconv.ParseFloat(row[column], 64)
	if err != nil {
		return math.NaN()
	}
	return x
}
