// One storage account, guarded by identity alone: no shared keys, no public blobs.
import { builtIn, grant, person } from '../types.bicep'

@description('Its name: 3 to 24 small letters and digits, unique in the world.')
@minLength(3)
@maxLength(24)
param name string

@description('Where it is kept.')
param location string

@description('How many copies there are, and where.')
param copies 'Standard_LRS' | 'Standard_ZRS' | 'Standard_GRS' = 'Standard_LRS'

@description('The containers that it has.')
param containers string[] = []

@description('The tables that it has.')
param tables string[] = []

@description('The only subnet that reaches it; empty where it is open to the network.')
param subnetId string = ''

@description('Who may do what with all of it.')
param grants grant[] = []

@description('The identities that may read the first container.')
param readers string[] = []

@description('Who may write the first container.')
param writers person[] = []

@description('The tags of every resource.')
param tags { *: string }

@description('The roles at the first container.')
var ofContainer = concat(
  map(readers, reader => {
    principalId: reader
    principalType: 'ServicePrincipal'
    role: builtIn.blobDataReader
  }),
  map(writers, writer => {
    principalId: writer.id
    principalType: writer.type
    role: builtIn.blobDataContributor
  })
)

resource account 'Microsoft.Storage/storageAccounts@2026-09-01' = {
  name: name
  location: location
  tags: tags
  kind: 'StorageV2'
  sku: {
    name: copies
  }
  properties: {
    accessTier: 'Hot'
    allowBlobPublicAccess: false
    allowCrossTenantReplication: false
    allowSharedKeyAccess: false
    defaultToOAuthAuthentication: true
    minimumTlsVersion: 'TLS1_2'
    supportsHttpsTrafficOnly: true
    networkAcls: {
      bypass: 'None'
      defaultAction: empty(subnetId) ? 'Allow' : 'Deny'
      virtualNetworkRules: empty(subnetId)
        ? []
        : [
            {
              id: subnetId
            }
          ]
    }
  }
}

resource blobs 'Microsoft.Storage/storageAccounts/blobServices@2026-09-01' = if (!empty(containers)) {
  parent: account
  name: 'default'
}

resource boxes 'Microsoft.Storage/storageAccounts/blobServices/containers@2026-09-01' = [
  for container in containers: {
    parent: blobs
    name: container
  }
]

resource tableService 'Microsoft.Storage/storageAccounts/tableServices@2026-09-01' = if (!empty(tables)) {
  parent: account
  name: 'default'
}

resource lists 'Microsoft.Storage/storageAccounts/tableServices/tables@2026-09-01' = [
  for table in tables: {
    parent: tableService
    name: table
  }
]

resource roles 'Microsoft.Authorization/roleAssignments@2022-04-01' = [
  for grant in grants: {
    scope: account
    name: guid(account.id, grant.principalId, grant.role)
    properties: {
      principalId: grant.principalId
      principalType: grant.principalType
      condition: grant.?condition
      conditionVersion: contains(grant, 'condition') ? '2.0' : null
      roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', grant.role)
    }
  }
]

resource boxRoles 'Microsoft.Authorization/roleAssignments@2022-04-01' = [
  for grant in ofContainer: {
    scope: boxes[0]
    name: guid(boxes[0].id, grant.principalId, grant.role)
    properties: {
      principalId: grant.principalId
      principalType: grant.principalType
      roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', grant.role)
    }
  }
]

@description('Its resource id.')
output id string = account.id

@description('Where its blobs are.')
output blobEndpoint string = account.properties.primaryEndpoints.blob

@description('Where its tables are.')
output tableEndpoint string = account.properties.primaryEndpoints.table
