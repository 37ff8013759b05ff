/// The resource figures of a process in a storm. Gateways export them as Prometheus metrics; the storm's own processes
/// read their own.
package enum ProcessProbe {
  /// The time of a reading.
  package enum Moment: String, Hashable, Sendable, Codable, CodingKeyRepresentable, CaseIterable {
    case beforeRamp = "before_ramp"
    case beforeExpiry = "before_expiry"
    case afterSettling = "after_settling"
  }

  /// One reading of a process.
  package struct Sample: Hashable, Sendable, Codable {
    /// `process_cpu_seconds_total`: user and system time.
    package var cpuSeconds: Double
    /// `process_anonymous_memory_bytes`; `process_resident_memory_bytes` of a gateway that does not export it.
    package var residentBytes: Double
    /// `postern_connections_opened_total`, the sum over all dialects; 0 if the gateway does not export it.
    package var connectionsOpened: Double
    /// `postern_connections`, the open connections of all dialects and phases; nil if the gateway does not export it.
    package var connectionsOpen: Double?
    /// `process_start_time_seconds`; nil if the gateway does not export it.
    package var startedAt: Double?

    package init(
      cpuSeconds: Double, residentBytes: Double, connectionsOpened: Double = 0, connectionsOpen: Double? = nil,
      startedAt: Double? = nil
    ) {
      self.cpuSeconds = cpuSeconds
      self.residentBytes = residentBytes
      self.connectionsOpened = connectionsOpened
      self.connectionsOpen = connectionsOpen
      self.startedAt = startedAt
    }

    /// Returns the sum of two processes' readings. The start time is that of the youngest process, so that a restart of
    /// any process shows.
    package static func + (one: Sample, other: Sample) -> Sample {
      var sum = one
      sum.cpuSeconds += other.cpuSeconds
      sum.residentBytes += other.residentBytes
      sum.connectionsOpened += other.connectionsOpened
      sum.connectionsOpen = one.connectionsOpen.flatMap { open in other.connectionsOpen.map { open + $0 } }
      sum.startedAt = one.startedAt.flatMap { start in other.startedAt.map { max(start, $0) } }
      return sum
    }

    /// Returns whether a later reading is of the same process. Differences are meaningless if it was restarted in
    /// between.
    func isContinued(by later: Sample) -> Bool {
      startedAt == later.startedAt && cpuSeconds <= later.cpuSeconds && connectionsOpened <= later.connectionsOpened
    }

    /// Creates the reading from a Prometheus text exposition; nil unless it has CPU time and memory.
    package init?(exposition text: String) {
      var values: [Substring: Double] = [:]
      for line in text.split(whereSeparator: \.isNewline) where !line.hasPrefix("#") {
        let name = line.prefix { $0 != "{" && $0 != " " }
        let rest = line.lastIndex(of: "}").map { line[line.index(after: $0)...] } ?? line[name.endIndex...]
        // Text that is no number, and values that no process can reach, are ignored.
        guard let text = rest.split(separator: " ").first, let value = Double(text), (0...1e15).contains(value) else {
          continue
        }
        values[name, default: 0] += value
      }
      // The code that serves the first connection would count as memory of the connections.
      guard let cpu = values["process_cpu_seconds_total"],
        let bytes = values["process_anonymous_memory_bytes"] ?? values["process_resident_memory_bytes"]
      else { return nil }
      let opened = values["postern_connections_opened_total"] ?? 0
      self.init(
        cpuSeconds: min(cpu, 1e9), residentBytes: bytes, connectionsOpened: opened,
        connectionsOpen: values["postern_connections"], startedAt: values["process_start_time_seconds"])
    }
  }
}
