package import GatewayCore

/// A vendor as the program `postern` offers it: its flags of `serve`, for instance. The catalogue,
/// `Sources/postern/Vendors.swift`, lists every one.
package protocol OfferedVendor: Vendor {
  associatedtype Settings: VendorSettings

  /// What people call it; the help has its flags in sections of this title.
  static var title: String { get }

  /// The name of its tokens for `--scheme`, and of its wire for `--dialect`.
  static var scheme: String { get }

  /// The flags of `serve` that set it.
  static var options: [Option<Settings>] { get }

  /// What the flags ask for, checked; `own` are the gateway's own keys, for what is given none.
  static func settings(_ arguments: Arguments, _ own: OwnKeys) throws -> Settings

  /// What the token commands know of its tokens.
  static var tokens: any TokenTool { get }

  /// What `storm` knows of its clients.
  static var clients: any ClientTool { get }

  /// What `ctl` asks of its control routes.
  static var controlActions: [ControlAction] { get }
}

// What holds for every vendor that `postern` offers.

extension OfferedVendor {
  package static var options: [Option<Settings>] { [] }
  package static var controlActions: [ControlAction] { [] }
  package static var flags: [Flag] { options.map(\.flag) }

  /// The token that the flags ask for. Refuses flags that say nothing to this vendor's.
  package static func mint(_ arguments: Arguments, at now: WallTime) throws -> String {
    try arguments.refuse(tokens.unusedInMinting, with: "scheme", scheme)
    return try tokens.mint(arguments, at: now)
  }

  /// What a gateway with the keys of the flags says of a token. Refuses flags that say nothing to this vendor's.
  package static func verify(_ token: String, _ arguments: Arguments, at now: WallTime) throws -> TokenReport {
    try arguments.refuse(tokens.unusedInVerifying, with: "scheme", scheme)
    return try tokens.verify(token, arguments, at: now)
  }
}
