import GatewayKit

extension Vendors {
  /// Returns an option that names a vendor by its scheme.
  static func option<Draft>(
    _ name: String, _ help: String, _ path: any WritableKeyPath<Draft, Arguments.Value?> & Sendable
  ) -> Option<Draft> {
    Option(
      name, all.map { $0.scheme }.joined(separator: "|"), "\(help) (default \(all[0].scheme))", path, .asGiven)
  }

  /// Returns the vendor that the flag's value names.
  static func named(by value: Arguments.Value?) throws -> any OfferedVendor.Type {
    guard let value else { return all[0] }
    guard let vendor = all.first(where: { $0.scheme == value.text }) else {
      throw UsageError(value.source, value: value.text, oneOf: all.map { $0.scheme })
    }
    return vendor
  }

  /// Returns the vendors' flags of one command, in one section per vendor.
  static func sections(_ flags: (any OfferedVendor.Type) -> [Flag]) -> [FlagSection] {
    all.map { FlagSection($0.title, flags($0)) }.filter { !$0.flags.isEmpty }
  }

  /// Rejects flags of other vendors on the command line. Such flags in the environment or a file are ignored, since they may
  /// be meant for other commands.
  static func refuseOthers(
    of vendor: any OfferedVendor.Type, _ arguments: Arguments, named flag: String,
    _ flags: (any OfferedVendor.Type) -> [Flag]
  ) throws {
    let own = flags(vendor).map(\.name)
    for other in all.flatMap(flags) where !own.contains(other.name) {
      guard arguments.given[other.name]?.last?.source == "--\(other.name)" else { continue }
      try arguments.refuse([other.name], with: flag, vendor.scheme)
    }
  }
}
