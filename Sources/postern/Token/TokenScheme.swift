import GatewayKit

/// The vendor of a command's tokens, by `--scheme`.
enum TokenScheme {
  static let flag = Vendors.flag("scheme", "whose token")

  /// The vendor whose tokens are meant. Refuses flags of other vendors.
  static func read(
    _ arguments: Arguments, _ flags: (any OfferedVendor.Type) -> [Flag]
  ) throws -> any OfferedVendor.Type {
    let vendor = try Vendors.named(by: "scheme", arguments)
    try Vendors.refuseOthers(of: vendor, arguments, named: "scheme", flags)
    return vendor
  }
}
