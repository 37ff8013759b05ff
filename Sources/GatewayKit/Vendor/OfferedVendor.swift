package import GatewayCore

/// A vendor that the program `postern` offers, with its flags and tools. The catalogue,
/// `Sources/postern/Vendors.swift`, lists all of them.
package protocol OfferedVendor: Vendor {
  associatedtype Settings: VendorSettings

  /// The vendor's display name, which is the title of its flags' section in the help.
  static var title: String { get }

  /// The name of its tokens for `--scheme`, and of its wire format for `--dialect`.
  static var scheme: String { get }

  /// The flags of `serve` that configure it.
  static var options: [Option<Settings>] { get }

  /// Returns the checked settings that the flags ask for. `own` are the gateway's own keys, for a vendor without keys.
  static func settings(_ arguments: Arguments, _ own: OwnKeys) throws -> Settings

  /// The vendor's part of the token commands.
  static var tokens: any TokenTool { get }

  /// The vendor's part of `storm`.
  static var clients: any ClientTool { get }

  /// The wire formats on its sockets, for `proxy --dialect`.
  static var readers: [WireReader] { get }

  /// The actions of `ctl` for its control routes.
  static var controlActions: [ControlAction] { get }
}

// Defaults, and what all vendors share.

extension OfferedVendor {
  package static var options: [Option<Settings>] { [] }
  package static var controlActions: [ControlAction] { [] }
  package static var readers: [WireReader] { [] }
  package static var flags: [Flag] { options.map(\.flag) }

  /// Returns the token that the flags ask for. Throws for flags that have no meaning for this vendor.
  package static func mint(_ arguments: Arguments, at now: WallTime) throws -> String {
    try arguments.refuse(tokens.unusedInMinting, with: "scheme", scheme)
    return try tokens.mint(try MintDraft(arguments), arguments, at: now)
  }

  /// Returns the result of the check that a gateway with the keys of the flags would make. Throws for flags that have
  /// no meaning for this vendor.
  package static func verify(_ token: String, _ arguments: Arguments, at now: WallTime) throws -> TokenReport {
    try arguments.refuse(tokens.unusedInVerifying, with: "scheme", scheme)
    return try tokens.verify(token, try VerifyDraft(arguments), arguments, at: now)
  }
}
