import GatewayFleet

/// The machine a storm ran on: two cores and 8 GB, for instance. Figures of two machines are two different figures.
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

  /// One line for people.
  package var summary: String {
    "\(cores) cores (\(processor)), \(Figures.decimal(Double(memoryBytes) / 1_073_741_824, places: 1)) GiB, "
      + "\(system), Linux \(kernel)"
  }
}
