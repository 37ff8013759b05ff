internal import GatewayCore
internal import GatewayKit

// The keys that the gateway signs with.

extension StreemDirectory {
  /// The private half of such a key. A secret.
  struct SigningKey: Sendable {
    var apiKey: StreemAPIKey
    var jwk: [UInt8]
  }

  /// Returns the key with which every process of the store signs for the company: the stored one, or `made` if there is none
  /// or the stored one was revoked. Throws `GatewayError.companyUnknown` if there is no such company.
  func signingKey(
    of company: Name, or made: SigningKey, at now: WallTime
  ) async throws(GatewayError) -> SigningKey {
    try await store.transact(at: now) { (transaction: inout Transaction) async throws(GatewayError) -> SigningKey in
      let place = Self.signingKeys.key(company.text)
      if let row = try await transaction.get(place, as: StreemSigningRow.self),
        let key = try await apiKey(row.apiKey, in: &transaction), !key.isRevoked
      {
        return SigningKey(apiKey: key, jwk: Array(row.jwk.utf8))
      }
      try await add(made.apiKey, at: now, in: &transaction)
      transaction.put(
        place, StreemSigningRow(apiKey: made.apiKey.id, jwk: String(decoding: made.jwk, as: UTF8.self)))
      return made
    }
  }
}
