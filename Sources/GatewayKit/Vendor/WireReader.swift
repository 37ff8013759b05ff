package import GatewayCore

/// Both sides of a vendor's wire format, for a program that reads a connection between others.
package struct WireReader: Sendable {
  /// The reader of the client's messages.
  package let dialect: any Dialect
  /// The reader of the gateway's messages.
  package let client: any ClientDialect

  package init(_ dialect: any Dialect, _ client: any ClientDialect) {
    (self.dialect, self.client) = (dialect, client)
  }

  /// How clients renew their tokens: by coming back where the wire has no message for that.
  package var renewal: RefreshHabit.How {
    let nobody = ClientIdentity(user: UserID("nobody"))
    let refresh = client.frames(.refresh(Credentials(token: "token")), of: nobody, client.memory(of: nobody))
    return dialect.renewal ?? (refresh.isEmpty ? .reconnect : client.habits.refresh.how)
  }
}
