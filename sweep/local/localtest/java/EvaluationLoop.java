package org.apache.hadoop.hbase;

import com.sun.management.OperatingSystemMXBean;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.LinkedList;

/**
 * Runs PerformanceEvaluation again and again in one JVM, so that it is measured
 * compiled rather than starting. Each line of standard input has its options;
 * each answer has operations, operations a second (the sum over its threads, as
 * PerformanceEvaluation itself reckons) and the CPU time of the process.
 */
final class EvaluationLoop {
  public static void main(String[] args) throws Exception {
    var conf = HBaseConfiguration.create();
    var system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    var in = new BufferedReader(new InputStreamReader(System.in));
    for (String line; (line = in.readLine()) != null;) {
      var options = PerformanceEvaluation.parseOpts(new LinkedList<>(Arrays.asList(line.split(" "))));
      long cpu = system.getProcessCpuTime();
      var results = PerformanceEvaluation.doLocalClients(options, conf);
      cpu = system.getProcessCpuTime() - cpu;
      long operations = 0;
      double rate = 0;
      for (var result : results) {
        operations += result.hist.getCount();
        rate += result.hist.getCount() * 1000.0 / result.duration;
      }
      System.out.println("measured " + operations + " " + rate + " " + cpu / 1000);
    }
    System.exit(0);
  }
}
