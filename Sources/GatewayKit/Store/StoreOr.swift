/// The cause of a failed transaction: an error of its vendor, or one of the store.
package enum StoreOr<Failure: StoreFailure>: StoreFailure {
  case failure(Failure)
  case store(StoreError)

  package init(_ error: StoreError) {
    self = .store(error)
  }

  /// The error in the vendor's terms.
  package var failure: Failure {
    switch self {
    case .failure(let failure): failure
    case .store(let error): Failure(error)
    }
  }
}
