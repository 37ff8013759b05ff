internal import GatewayCore
internal import GatewayKit

extension StreemDirectory {
  private static let reservations = StoreTable<StreemReservation>("streem.reservation")
  /// How long an ended one is stored.
  private static let endMemory = Duration.seconds(86_400)

  /// Stores a reservation under its id.
  func addReservation(_ reservation: StreemReservation, at now: WallTime) async throws(GatewayError) {
    let count = StoreCount("streem.reservations", atMost: limits.reservations, of: "reservations")
    try await store.transact(at: now) { (transaction: inout Transaction) async throws(GatewayError) in
      transaction.put(
        Self.reservations.key(reservation.sid.text), reservation, expires: reservation.endsAt + Self.endMemory,
        in: [count])
    }
  }

  /// Returns the reservation with that id, in its state at `now`; nil if there is none.
  func reservation(_ sid: Name, at now: WallTime) async throws(GatewayError) -> StreemReservation? {
    let reservation: StreemReservation? = try await get(Self.reservations.key(sid.text), at: now)
    return reservation?.current(at: now)
  }

  /// Cancels a reservation that has not ended, and returns it; an ended one is unchanged. Throws
  /// `GatewayError.notFound` if there is none.
  func cancelReservation(_ sid: Name, at now: WallTime) async throws(GatewayError) -> StreemReservation {
    for isKept in [true, false] {
      do throws(StoreOr<GatewayError>) {
        return try await cancel(sid, isKept: isKept, at: now)
      } catch .store(.full) where isKept {
        // There is no room for another canceled reservation.
        continue
      } catch {
        throw error.failure
      }
    }
    throw .storeUnavailable
  }

  private func cancel(
    _ sid: Name, isKept: Bool, at now: WallTime
  ) async throws(StoreOr<GatewayError>) -> StreemReservation {
    let count = StoreCount("streem.canceled", atMost: limits.reservations, of: "canceled reservations")
    return try await store.transact(at: now) {
      (transaction: inout StoreTransaction<StoreOr<GatewayError>>) async throws(StoreOr<GatewayError>)
        -> StreemReservation in
      let key = Self.reservations.key(sid.text)
      guard var reservation = try await transaction.get(key, as: StreemReservation.self)?.current(at: now) else {
        throw .failure(.notFound.detailed("there is no such reservation"))
      }
      guard reservation.status == .reserved else { return reservation }
      reservation.status = .canceled
      if isKept {
        transaction.put(key, reservation, expires: reservation.endsAt + Self.endMemory, in: [count])
      } else {
        transaction.delete(key)
      }
      return reservation
    }
  }
}

extension StreemReservation {
  /// Returns the reservation in its state at `now`.
  fileprivate func current(at now: WallTime) -> StreemReservation {
    guard status == .reserved, endsAt <= now else { return self }
    var expired = self
    expired.status = .expired
    return expired
  }
}
