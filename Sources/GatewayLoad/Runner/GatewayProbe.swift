/// What a gateway's Prometheus metrics say about its process.
package enum GatewayProbe {
  /// When the gateway is asked.
  package enum Moment: String, Hashable, Sendable, Codable, CodingKeyRepresentable, CaseIterable {
    case beforeRamp = "before_ramp"
    case beforeExpiry = "before_expiry"
    case afterSettling = "after_settling"
  }

  /// One reading.
  package struct Sample: Hashable, Sendable, Codable {
    /// `process_cpu_seconds_total`: user and system.
    package var cpuSeconds: Double
    /// `process_resident_memory_bytes`.
    package var residentBytes: Double

    package init(cpuSeconds: Double, residentBytes: Double) {
      self.cpuSeconds = cpuSeconds
      self.residentBytes = residentBytes
    }

    /// The reading in a Prometheus text exposition; nil unless it has both figures.
    package init?(exposition text: String) {
      var values: [Substring: Double] = [:]
      for line in text.split(whereSeparator: \.isNewline) where !line.hasPrefix("#") {
        let fields = line.split(separator: " ")
        guard fields.count >= 2, let value = Double(fields[1]) else { continue }
        values[fields[0]] = value
      }
      guard let cpu = values["process_cpu_seconds_total"], let bytes = values["process_resident_memory_bytes"] else {
        return nil
      }
      self.init(cpuSeconds: cpu, residentBytes: bytes)
    }
  }
}
