// The SHA-2 contexts of <openssl/sha.h> are plain values: a prepared HMAC state is copied without an allocation, a lock
// or a reference count, which no EVP context allows. OpenSSL 3 marks them deprecated.
#define OPENSSL_SUPPRESS_DEPRECATED

#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>
#include <openssl/x509.h>

// The macros of these names are expressions that Swift does not import.
enum {
  PosternPublicKey = EVP_PKEY_PUBLIC_KEY,
  PosternKeyPair = EVP_PKEY_KEYPAIR,
};
