import GatewayFleet

/// The machine on which a storm ran. Figures of two machines are not comparable.
package struct Machine: Hashable, Sendable, Codable {
  package var cores: Int
  package var memoryBytes: UInt64
  package var processor: String
  package var system: String
  package var kernel: String

  package init(cores: Int, memoryBytes: UInt64, processor: String, system: String, kernel: String) {
    self.cores = cores
    self.memoryBytes = memoryBytes
    self.processor = processor
    self.system = system
    self.kernel = kernel
  }

  /// A description in one line.
  package var summary: String {
    "\(cores) cores (\(processor)), \(Figures.decimal(Double(memoryBytes) / 1_073_741_824, places: 1)) GiB, "
      + "\(system), Linux \(kernel)"
  }
}
