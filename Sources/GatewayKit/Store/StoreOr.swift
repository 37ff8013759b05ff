/// The reason why a transaction came to nothing: what its vendor refuses, a registration that must have an end, say; or
/// what the store does.
package enum StoreOr<Failure: StoreFailure>: StoreFailure {
  case failure(Failure)
  case store(StoreError)

  package init(_ error: StoreError) {
    self = .store(error)
  }

  /// The failure that it is in the vendor's words.
  package var failure: Failure {
    switch self {
    case .failure(let failure): failure
    case .store(let error): Failure(error)
    }
  }
}
