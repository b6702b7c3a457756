// Reads InfluxDB's line protocol by the parser of Telegraf, which its inputs execd and exec
// have for data_format = "influx". Writes a JSON object for each line; a float has the type
// "float64", an integer "int64". Ends with 1 for a line that is none.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"github.com/influxdata/telegraf/plugins/parsers/influx"
)

func main() {
	parser := &influx.Parser{}
	if err := parser.Init(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		metric, err := parser.ParseLine(lines.Text())
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		types := map[string]string{}
		for name, value := range metric.Fields() {
			types[name] = fmt.Sprintf("%T", value)
		}
		text, err := json.Marshal(map[string]interface{}{
			"name":   metric.Name(),
			"tags":   metric.Tags(),
			"fields": metric.Fields(),
			"types":  types,
			"time":   metric.Time().UnixNano(),
		})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		fmt.Println(string(text))
	}
}
