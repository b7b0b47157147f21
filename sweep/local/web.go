package local

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// The servers refuse to start their web servers without these folders.
var webFolders = []string{
	"hbase-webapps/master", "hbase-webapps/regionserver", "hbase-webapps/static",
	"webapps/hdfs", "webapps/datanode", "webapps/static",
}

// masterPages are the pages of the Master that tell what it is busy with, as
// compiled into HBase's jars, and the parts that they include. Unlike /jmx they
// show the present, not the last sample.
var masterPages = []string{"procedures", "rits", "header", "footer", "redirect"}

func writeWeb(dir string) error {
	for _, folder := range webFolders {
		var pages strings.Builder
		pages.WriteString("<web-app>\n")
		if folder == "hbase-webapps/master" {
			for _, page := range masterPages {
				fmt.Fprintf(&pages, "  <servlet><servlet-name>%[1]s</servlet-name><servlet-class>org.apache.hadoop.hbase.generated.master.%[1]s_jsp</servlet-class></servlet>\n"+
					"  <servlet-mapping><servlet-name>%[1]s</servlet-name><url-pattern>/%[1]s.jsp</url-pattern></servlet-mapping>\n", page)
			}
		}
		pages.WriteString("</web-app>\n")
		path := filepath.Join(dir, folder, "WEB-INF", "web.xml")
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(pages.String()), 0o644); err != nil {
			return err
		}
	}
	return nil
}
