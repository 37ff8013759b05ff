internal import GatewayCore
internal import GatewayKit

/// An export of users, stored until it is fetched.
struct StreamExport: Hashable, StoreValue {
  let text: String
  let madeAt: WallTime
}

extension StreamDirectory {
  private static let exports = StoreTable<StreamExport>("stream.export")
  private static let exportLife = Duration.seconds(86_400)

  /// Stores the export for a day; throws `GatewayError.tooMany` if there is no room.
  func keep(_ export: StreamExport, as name: String, at now: WallTime) async throws(GatewayError) {
    try await store.transact(at: now) { (transaction: inout Transaction) async throws(GatewayError) in
      let counts = [
        StoreCount("stream.exports", atMost: 100, of: "exports"),
        StoreCount("stream.exports.bytes", atMost: 16 << 20, of: "bytes of exports", weight: export.text.utf8.count),
      ]
      transaction.put(Self.exports.key(name), export, expires: now + Self.exportLife, in: counts)
    }
  }

  /// Returns the export with that name; nil if there is none.
  func export(_ name: String, at now: WallTime) async throws(GatewayError) -> StreamExport? {
    do throws(StoreError) {
      return try await store.get(Self.exports.key(name), as: StreamExport.self, at: now)
    } catch {
      throw GatewayError(error)
    }
  }
}
