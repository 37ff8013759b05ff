/// The figures of a process that takes part in a storm, a gateway that has used 3.2 s of CPU for instance: gateways tell them as
/// Prometheus metrics, the storm's own processes know them.
package enum ProcessProbe {
  /// The moment of a reading: before the tokens expire, for instance.
  package enum Moment: String, Hashable, Sendable, Codable, CodingKeyRepresentable, CaseIterable {
    case beforeRamp = "before_ramp"
    case beforeExpiry = "before_expiry"
    case afterSettling = "after_settling"
  }

  /// One reading of a process: 12.4 s of processor time and 180 MB, for instance.
  package struct Sample: Hashable, Sendable, Codable {
    /// `process_cpu_seconds_total`: user and system.
    package var cpuSeconds: Double
    /// `process_resident_memory_bytes`.
    package var residentBytes: Double
    /// `postern_connections_opened_total`, all dialects together; 0 where the gateway does not say.
    package var connectionsOpened: Double
    /// `postern_connections`, all dialects and phases together: those that are open; nil where the gateway does not say.
    package var connectionsOpen: Double?
    /// `process_start_time_seconds`; nil where the gateway does not say.
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

    /// The readings of several processes as one: the figures' sums, and when the youngest of them began, which shows if one
    /// of them is started anew.
    package static func + (one: Sample, other: Sample) -> Sample {
      var sum = one
      sum.cpuSeconds += other.cpuSeconds
      sum.residentBytes += other.residentBytes
      sum.connectionsOpened += other.connectionsOpened
      sum.connectionsOpen = one.connectionsOpen.flatMap { open in other.connectionsOpen.map { open + $0 } }
      sum.startedAt = one.startedAt.flatMap { start in other.startedAt.map { max(start, $0) } }
      return sum
    }

    /// Whether a later reading is of the same process: of one that was started anew in between no difference can be taken.
    func isContinued(by later: Sample) -> Bool {
      startedAt == later.startedAt && cpuSeconds <= later.cpuSeconds && connectionsOpened <= later.connectionsOpened
    }

    /// The reading in a Prometheus text exposition; nil unless it has both figures.
    package init?(exposition text: String) {
      var values: [Substring: Double] = [:]
      for line in text.split(whereSeparator: \.isNewline) where !line.hasPrefix("#") {
        let name = line.prefix { $0 != "{" && $0 != " " }
        let rest = line.lastIndex(of: "}").map { line[line.index(after: $0)...] } ?? line[name.endIndex...]
        // What no process can have used, or no number, is not heeded.
        guard let text = rest.split(separator: " ").first, let value = Double(text), (0...1e15).contains(value) else {
          continue
        }
        values[name, default: 0] += value
      }
      guard let cpu = values["process_cpu_seconds_total"], let bytes = values["process_resident_memory_bytes"] else {
        return nil
      }
      let opened = values["postern_connections_opened_total"] ?? 0
      self.init(
        cpuSeconds: min(cpu, 1e9), residentBytes: bytes, connectionsOpened: opened,
        connectionsOpen: values["postern_connections"], startedAt: values["process_start_time_seconds"])
    }
  }
}
