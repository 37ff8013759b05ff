import GatewayKit

/// The vendor whose tokens a command handles, by `--scheme`.
enum TokenScheme {
  static let flag = Vendors.flag("scheme", "whose token")

  /// Returns the vendor. Rejects flags of other vendors.
  static func read(
    _ arguments: Arguments, _ flags: (any OfferedVendor.Type) -> [Flag]
  ) throws -> any OfferedVendor.Type {
    let vendor = try Vendors.named(by: "scheme", arguments)
    try Vendors.refuseOthers(of: vendor, arguments, named: "scheme", flags)
    return vendor
  }
}
