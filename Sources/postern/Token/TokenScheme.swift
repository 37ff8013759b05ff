import GatewayKit

/// The vendor whose tokens a command handles, by `--scheme`.
enum TokenScheme {
  static let flag = option.flag

  private static let option: Option<Arguments.Value?> = Vendors.option("scheme", "the scheme of the token", \.self)

  /// Returns the vendor. Rejects flags of other vendors.
  static func read(
    _ arguments: Arguments, _ flags: (any OfferedVendor.Type) -> [Flag]
  ) throws -> any OfferedVendor.Type {
    var scheme: Arguments.Value?
    try arguments.read([option], into: &scheme)
    let vendor = try Vendors.named(by: scheme)
    try Vendors.refuseOthers(of: vendor, arguments, named: "scheme", flags)
    return vendor
  }
}
