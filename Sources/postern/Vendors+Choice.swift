import GatewayKit

extension Vendors {
  /// Returns a flag that names a vendor by its scheme.
  static func flag(_ name: String, _ help: String) -> Flag {
    Flag(name, all.map { $0.scheme }.joined(separator: "|"), "\(help) (default \(all[0].scheme))")
  }

  /// Returns the vendor that the flag names.
  static func named(by flag: String, _ arguments: Arguments) throws -> any OfferedVendor.Type {
    guard let value = arguments.value(flag) else { return all[0] }
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
      guard arguments.value(other.name)?.source == "--\(other.name)" else { continue }
      try arguments.refuse([other.name], with: flag, vendor.scheme)
    }
  }
}
