// Two roles of our own, as narrow as can be: a definition is made where it may be given.
@description('What the names of the roles end with: a name is taken once in a whole tenant.')
param suffix string

@description('The group as roles name it.')
var groupId = '${subscription().id}/resourceGroups/${resourceGroup().name}'

@description('What each of them may read.')
var reads = [
  'Microsoft.Compute/virtualMachines/read'
  'Microsoft.Compute/virtualMachines/instanceView/read'
]

resource operator 'Microsoft.Authorization/roleDefinitions@2022-04-01' = {
  name: guid(groupId, 'vm-operator')
  properties: {
    roleName: 'VM Operator (${suffix})'
    description: 'Start, deallocate and read a machine; whoever stops it by this role deallocates it.'
    type: 'CustomRole'
    assignableScopes: [
      groupId
    ]
    permissions: [
      {
        actions: concat(reads, [
          'Microsoft.Compute/virtualMachines/start/action'
          'Microsoft.Compute/virtualMachines/deallocate/action'
        ])
      }
    ]
  }
}

resource itself 'Microsoft.Authorization/roleDefinitions@2022-04-01' = {
  name: guid(groupId, 'vm-self-deallocate')
  properties: {
    roleName: 'VM Self Deallocate (${suffix})'
    description: 'Read and deallocate a machine, and nothing else.'
    type: 'CustomRole'
    assignableScopes: [
      groupId
    ]
    permissions: [
      {
        actions: concat(reads, [
          'Microsoft.Compute/virtualMachines/deallocate/action'
        ])
      }
    ]
  }
}

@description('The GUID of the role that starts and deallocates a machine.')
output operator string = operator.name

@description('The GUID of the role that only deallocates it.')
output itself string = itself.name
